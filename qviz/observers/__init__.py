"""Observers that belong to no framework."""
