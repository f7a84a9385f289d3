"""Small ONNX models as tests write them, by onnx alone."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.unit.samples import HERE

DIGITS, TWIN, IMAGES = (
    HERE / name for name in ("digits_cnn.onnx", "digits_cnn_rescaled.onnx", "digits_calib.npz")
)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def written(path, nodes, inputs=(), outputs=(), **constants):
    """Write a model; ``outputs`` are names, constants arrays."""
    stored = [numpy_helper.from_array(np.asarray(x), name) for name, x in constants.items()]
    given = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph(list(nodes), "g", list(inputs), given, stored)
    opset = [helper.make_opsetid("", 20)]
    path.write_bytes(
        helper.make_model(graph, opset_imports=opset, ir_version=9).SerializeToString()
    )
    return path
