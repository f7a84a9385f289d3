"""Totals and the metrics made of them."""
