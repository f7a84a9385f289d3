"""Benchmarks: how fast and how large, beside others that do the same work."""
