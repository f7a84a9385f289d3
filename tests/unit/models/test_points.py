"""Which values a quantizer sees."""

import numpy as np

from qviz.models.model import read_model
from qviz.models.points import points
from qviz.sources.base import open_file
from tests.unit.models.graphs import DIGITS, node, value, written


def test_the_bundled_network():
    found = points(read_model(DIGITS), open_file(DIGITS))
    assert [point.name for point in found] == [
        *("images", "conv1.weight", "relu", "depthwise.weight", "relu6", "pointwise.weight"),
        *("hard_swish", "fc1.weight", "gelu", "fc2.weight", "logits"),
    ]
    assert [p.name for p in found if p.role == "weight"] == [
        p.name for p in found if p.name.endswith("weight")
    ]
    assert found[0].fed and found[0].op == "Input"


def test_a_value_that_others_read_too_is_kept(tmp_path):
    nodes = [
        node("Neg", "x", "a"),
        node("Relu", "a", "b"),  # a is read twice, so it exists
        node("Add", "a b", "c"),
        node("Reshape", "c s", "d"),  # the values of c again
        node("Sigmoid", "d", "e"),
        node("Neg", "e", "f"),
    ]
    made = written(tmp_path / "m.onnx", nodes, [value("x", [2, 2])], ["f"], s=np.array([4]))
    assert [p.name for p in points(read_model(made), None)] == ["x", "a", "b", "c", "e", "f"]
