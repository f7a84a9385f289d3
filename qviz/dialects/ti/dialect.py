"""TI edgeai as it was measured, and the place its rules are taken from."""

from __future__ import annotations

from qviz.dialects import Dialect
from qviz.registry import Source

EXTREMA = Source("TI edgeai range utilities", "extrema(), extrema_fast()", "2023")
OBSERVER = Source("TI edgeai observers", "range-shrink observer", "versions 2 and 3")

PACT2 = Source("TI edgeai layers", "PACT2 and its quantized activation", "2023")

DIALECT = Dialect(
    key="ti",
    prefix="ti.",
    title="TI edgeai",
    documents=(EXTREMA, OBSERVER, PACT2),
    rounding="half to even in the histogram",
    compute_dtype="float32",
    configuration="range utilities run on PyTorch 2.13.0 CPU and NumPy 2.4.6",
)
