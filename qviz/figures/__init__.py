"""Pictures and their words: pure functions from records and a palette to plain Plotly dicts."""
