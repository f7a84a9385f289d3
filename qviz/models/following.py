"""The weight that a value meets next: where a factor of its channels can be moved to."""

from __future__ import annotations

import numpy as np

from qviz.models.model import Model
from qviz.sources.base import TensorSource
from qviz.sources.onnx.records import Node


def following(model: Model, source: TensorSource, name: str) -> tuple[np.ndarray, int] | None:
    """The stored weight of the only operation that reads a value, and the axis of its channels.

    Channels are those of the value: the inputs of the weight, one by one. None where several
    operations read the value, the model gives it, or its reader multiplies by no stored weight.
    """
    readers = [node for node in model.scope.nodes if name in node.inputs]
    if len(readers) != 1 or name in model.outputs:
        return None
    node = readers[0]
    first, weight = (*node.inputs, "", "")[:2]
    if first != name or weight not in source.infos:
        return None
    w = np.asarray(source[weight])
    axis = _axis(node, w.shape)
    return None if axis is None or w.dtype.kind != "f" else (w, axis)


def _axis(node: Node, shape: tuple[int, ...]) -> int | None:
    groups = node.numbers.get("group", 1)
    if node.op == "Conv" and len(shape) > 2:
        depthwise = groups == shape[0] and shape[1] == 1
        return 1 if groups == 1 else 0 if depthwise else None
    if node.op == "ConvTranspose" and groups == 1:
        return 0
    if node.op == "Gemm" and not node.numbers.get("transA", 0):
        return 1 if node.numbers.get("transB", 0) else 0
    return 0 if node.op == "MatMul" and len(shape) == 2 else None
