"""MindSpore as it was read, and the places its rules are taken from."""

from __future__ import annotations

from qviz.dialects import Dialect
from qviz.registry import Source

OPERATORS = "FakeQuantPerLayer, FakeQuantPerChannel, MinMaxUpdate, FakeLearnedScaleQuant"
DOCUMENT = Source("MindSpore", "nn.FakeQuantWithMinMaxObserver, documentation", "1.9")
GPU = Source("MindSpore", f"CUDA kernels of {OPERATORS}", "2.10.0")
ASCEND = Source("MindSpore", f"Ascend graphs of {OPERATORS}", "2.10.0")

DIALECT = Dialect(
    key="mindspore",
    prefix="mindspore.",
    title="MindSpore",
    documents=(DOCUMENT, GPU, ASCEND),
    rounding="half up: floor(t + 0.5)",
    compute_dtype="float32",
    configuration="formula-derived: none of these operators runs on a CPU",
)
