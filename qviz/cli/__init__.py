"""The command line: one file per command, found by its function ``add``."""
