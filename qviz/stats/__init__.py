"""Statistics: mergeable recipes, and the states they gather."""
