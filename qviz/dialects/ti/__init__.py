"""TI edgeai: range utilities that shrink a range by percentile, and the PACT2 layer."""

from qviz.dialects.ti.door import (
    Pact2,
    extrema,
    extrema_fast,
    extrema_hist_search,
    tensor_histogram,
)

__all__ = ["Pact2", "extrema", "extrema_fast", "extrema_hist_search", "tensor_histogram"]
