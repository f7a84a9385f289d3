"""Dialects: all rules of one framework each."""
