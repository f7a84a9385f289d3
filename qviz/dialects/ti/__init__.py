"""TI edgeai: the range utilities that shrink a range by percentile."""
