"""Modes that belong to no framework."""
