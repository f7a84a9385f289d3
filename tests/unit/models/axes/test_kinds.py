"""Channels by custom, and of torch modules."""

import pytest
import torch

import qviz
from qviz.models.axes.kinds import activation_axis, module_axis, weight_axis


def test_by_custom():
    assert activation_axis("Conv", 3) == 1 and activation_axis("MatMul", 3) == 2
    assert activation_axis("Softmax", 4) == 1 and activation_axis("Gemm", 1) is None
    assert activation_axis("MatMul", 4) == activation_axis("LayerNormalization", 4) == 3


@pytest.mark.parametrize(
    ("kind", "shape", "axis"),
    [
        ("Conv1d", (2, 3, 9), 1),
        ("ConvReLU2d", (2, 3, 9, 9), 1),
        ("AdaptiveAvgPool1d", (2, 3, 1), 1),
        ("GroupNorm", (2, 4, 9), 1),
        ("LayerNorm2d", (2, 4, 9, 9), 1),
        ("Linear", (2, 7, 7, 4), 3),
        ("LayerNorm", (2, 7, 7, 4), 3),
        ("T5LayerNorm", (2, 7, 7, 4), 3),
        ("Conv1D", (2, 7, 4), 2),  # a product with a matrix, for all its name
        ("LSTM", (2, 7, 4), 2),
        ("GELU", (2, 8, 20), 1),  # as what had this shape last
        ("Block", (2, 8, 20), 1),
        ("Permute", (2, 20, 8), 2),
        ("Softmax", (2, 5, 5), 2),  # nothing told of it
        ("Flatten", (2, 160), 1),
        ("ReLU", (2,), None),
    ],
)
def test_by_the_kind_of_module_or_by_what_came_in(kind, shape, axis):
    before = [((2, 5), None), ((2, 8, 20), 1), ((2, 8, 20), 2)]
    assert module_axis(kind, shape, before) == axis


@pytest.mark.parametrize(
    ("kind", "shape", "axis"),
    [
        ("ConvTranspose2d", (4, 6, 3, 3), 1),
        ("QATConvTranspose1d", (4, 6, 3), 1),
        ("Embedding", (20, 6), 1),
        ("EmbeddingBag", (20, 6), 1),
        ("PatchEmbedding", (1, 9, 6), 0),  # no table of rows
        ("Conv1D", (4, 6), 1),
        ("Conv2d", (6, 4, 3, 3), 0),
        ("Linear", (6, 4), 0),
        ("ConvTranspose2d", (6,), None),
    ],
)
def test_outputs_of_a_weight(kind, shape, axis):
    assert weight_axis(kind, shape) == axis


def test_a_loud_output_of_a_transposed_convolution_and_of_a_table_is_seen():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Embedding(9, 4), torch.nn.ConvTranspose1d(5, 6, 2))
    with torch.no_grad():
        net[0].weight[:, 3] *= 50
        net[1].weight[:, 2] *= 50
    seen = qviz.capture(net, [torch.zeros(2, 5, dtype=torch.int64)])
    found = [seen.channels(name) for name in ("0.weight", "1.weight")]
    assert [(e.axis, len(e.lo), int(e.amax.argmax())) for e in found] == [(1, 4, 3), (1, 6, 2)]


def test_a_loud_channel_is_seen_behind_an_activation_function():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Conv1d(3, 8, 3), torch.nn.ReLU(), torch.nn.Dropout())
    with torch.no_grad():
        net[0].weight[5] *= 50
    seen = qviz.capture(net, [torch.randn(4, 3, 20)])
    for name in ("0", "1", "2"):
        ends = seen.channels(name)
        assert ends is not None and (ends.axis, int(ends.amax.argmax())) == (1, 5)
