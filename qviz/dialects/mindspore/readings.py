"""The readings by name."""

from __future__ import annotations

from qviz.dialects.mindspore.ascend import Ascend
from qviz.dialects.mindspore.doc import Doc
from qviz.dialects.mindspore.gpu import Gpu
from qviz.dialects.mindspore.reading import Reading

DOC, GPU, ASCEND = Doc(), Gpu(), Ascend()
READINGS: dict[str, Reading] = {reading.name: reading for reading in (DOC, GPU, ASCEND)}
KINDS = {"f32": "float32", "f64": "float64"}  # precision: the type everything is evaluated in
