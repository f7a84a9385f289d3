"""Channels of what Einsum takes and gives."""

import numpy as np
import pytest

from qviz.models.model import read_model
from tests.unit.models.graphs import node, value, written


def made(folder, equation, inputs, shapes, *more):
    """A model of one Einsum; inputs in capitals are stored."""
    names = inputs.split()
    stored = {n: np.ones(s, np.float32) for n, s in zip(names, shapes, strict=True) if n.isupper()}
    fed = [value(n, s) for n, s in zip(names, shapes, strict=True) if not n.isupper()]
    nodes = [node("Einsum", inputs, "y", equation=equation), *more]
    return read_model(written(folder / "m.onnx", nodes, fed, ["y"], **stored))


@pytest.mark.parametrize(
    ("equation", "inputs", "shapes", "found"),
    [
        ("btc,cd->btd", "x W", [(2, 5, 6), (6, 8)], (2, 1, 2)),
        ("btc, dc -> btd", "x W", [(2, 5, 6), (8, 6)], (2, 0, 2)),
        ("bct,cd->bdt", "x W", [(2, 6, 5), (6, 8)], (1, 1, 1)),
        ("btd,dhk->bhtk", "x W", [(2, 5, 6), (6, 3, 4)], (2, 2, 3)),
        ("btd,khd->bhtk", "x W", [(2, 5, 6), (4, 3, 6)], (2, 0, 3)),
        ("cd,btc->btd", "W x", [(6, 8), (2, 5, 6)], (2, 1, 2)),
        ("...c,cd->...d", "x W", [(2, 5, 6), (6, 8)], (2, 1, 2)),
        ("bthk,hkd->btd", "x W", [(2, 5, 3, 4), (3, 4, 6)], (3, 2, 2)),
    ],
)
def test_a_weight_has_the_letter_that_it_alone_brings_into_the_output(
    tmp_path, equation, inputs, shapes, found
):
    model = made(tmp_path, equation, inputs, shapes)
    ranks = {name: len(shape) for name, shape in zip(inputs.split(), shapes, strict=True)}
    out = len(equation.rpartition("->")[2].strip().replace("...", "ab"))
    axes = model.value_axis("x", ranks["x"]), model.channel_axis("W", ranks["W"])
    assert (*axes, model.value_axis("y", out)) == found


@pytest.mark.parametrize(
    ("equation", "inputs", "shapes", "axis"),
    [
        ("bqd,bkd->bqk", "x z", [(2, 5, 6), (2, 7, 6)], 2),  # as of a product of two values
        ("btc,c->btc", "x V", [(2, 5, 6), (6,)], 1),  # a factor leaves them where they were
        ("btc->bct", "x", [(2, 5, 6)], 2),
        ("btc,cd", "x W", [(2, 5, 6), (6, 8)], None),  # nothing says what comes out
        ("btc,cd->btd", "x", [(2, 5, 6)], None),
        ("bc...,c->...bc", "x V", [(2, 5, 6), (5,)], -1),
        ("b...,c->b...", "x V", [(2, 5, 6), (6,)], None),
    ],
)
def test_other_equations(tmp_path, equation, inputs, shapes, axis):
    names = inputs.split()
    nodes = [node("Conv", "i K", "x"), node("Einsum", inputs, "y", equation=equation)]
    stored = {n: np.ones(s, np.float32) for n, s in zip(names, shapes, strict=True) if n.isupper()}
    fed = [value("i", (2, 3, 6))] + [value("z", (2, 7, 6))] * ("z" in names)
    kernel = np.ones((5, 3, 1), np.float32)
    path = written(tmp_path / "m.onnx", nodes, fed, ["y"], K=kernel, **stored)
    assert read_model(path)._axes.get("y") == axis
