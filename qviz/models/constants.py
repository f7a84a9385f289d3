"""Constants of a graph that can be given another content at each run.

Imports onnx: only processes that run models import this module.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CONSTANT = "Constant"
_LISTED = {"value_float": np.float32, "value_floats": np.float32,
           "value_int": np.int64, "value_ints": np.int64}  # fmt: skip
_REALS = (
    *(TensorProto.BFLOAT16, TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E4M3FNUZ),
    *(TensorProto.FLOAT8E5M2, TensorProto.FLOAT8E5M2FNUZ),
)
# element types that NumPy cannot hand over, and for each one that holds all its values
_FED_AS: dict[int, int] = {
    **dict.fromkeys(_REALS, TensorProto.FLOAT),
    **{TensorProto.INT4: TensorProto.INT8, TensorProto.UINT4: TensorProto.UINT8},
}


def opened(graph: onnx.GraphProto, names: Collection[str]) -> dict[str, int]:
    """Make constants overridable: initializers that are inputs, too.

    Gives those that must be cast from what is fed for them, and to which element type.
    """
    _as_initializers(graph, names)
    stored = {one.name: one for one in graph.initializer if one.name in names}
    cast = {name: one.data_type for name, one in stored.items() if one.data_type in _FED_AS}
    for name, kind in cast.items():
        dtype = helper.tensor_dtype_to_np_dtype(_FED_AS[kind])
        real = numpy_helper.to_array(stored[name]).astype(dtype)
        stored[name].CopyFrom(numpy_helper.from_array(real, name))
    inputs = {value.name: value for value in graph.input}
    for name, one in stored.items():
        value = inputs.get(name) or graph.input.add()
        value.CopyFrom(helper.make_tensor_value_info(name, one.data_type, list(one.dims)))
    return cast


def _as_initializers(graph: onnx.GraphProto, names: Collection[str]) -> None:
    """Store what nodes hold of these constants as the graph does."""
    kept = []
    for node in graph.node:
        stored = _stored(node) if node.op_type == CONSTANT and node.output[0] in names else None
        if stored is None:
            kept.append(onnx.NodeProto.FromString(node.SerializeToString()))
        else:
            stored.name = node.output[0]
            graph.initializer.append(stored)
    del graph.node[:]
    graph.node.extend(kept)


def _stored(node: onnx.NodeProto) -> onnx.TensorProto | None:
    """What a node holds; None of text and of sparse tensors."""
    for one in node.attribute:
        if one.name == "value" and one.HasField("t"):
            return one.t
        if one.name in _LISTED:
            value = np.array(helper.get_attribute_value(one), _LISTED[one.name])
            return numpy_helper.from_array(value)
    return None
