import numpy as np
import pytest
import torch

from qviz.errors import QvizError, UnknownName
from qviz.quantizers.affine import Affine, typed
from qviz.quantizers.base import Target, covered
from qviz.quantizers.power_of_two import PowerOfTwo
from qviz.spec import PER_TENSOR, Granularity, QuantSpec
from tests.unit.metrics.grids import Codebook, Wrapping


def test_levels_by_hand():
    quantizer = typed([0.5, 2.0], [1, 0], 0, 3)
    assert quantizer.levels().tolist() == [[-0.5, 0.0, 0.5, 1.0], [0.0, 2.0, 4.0, 6.0]]
    assert quantizer.levels(2).tolist() == [[0.5, 1.0], [4.0, 6.0]]
    assert quantizer.levels(1, 1).tolist() == [[0.0], [2.0]]
    assert quantizer.levels(-2, -1).tolist() == [[-1.5, -1.0], [-4.0, -2.0]]
    assert Codebook().levels().tolist() == [[-1.0, 0.0, 0.5, 2.0]]


def test_too_many_levels():
    assert typed(1.0, 0, 0, 65_535).levels().shape == (1, 65_536)
    with pytest.raises(QvizError, match="65,537 levels are too many"):
        typed(1.0, 0, 0, 7).levels(0, 65_536)


def test_what_the_grid_spans():
    span = covered(typed([0.5, 2.0], [1, 0], 0, 3))
    assert (span.lo.tolist(), span.hi.tolist()) == ([-0.5, 0.0], [1.0, 6.0])


def test_saturating_and_wrapping():
    x = np.array([[-1.0, 1.0, 5.0]])
    assert typed(1.0, 0, 0, 3).quantize(x).tolist() == [[0, 1, 3]]
    assert Wrapping().quantize(x).tolist() == [[3, 1, 1]]


def test_gradients_by_hand():
    x = np.array([[-0.6, -0.5, 0.0, 3.5, 3.4, np.nan]], np.float32)
    grad = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], np.float32)
    got = typed(1.0, 0, 0, 3).backward(x, grad)  # -0.5 rounds to 0, 3.5 to 4
    assert got.input.tolist() == [[0, 2, 3, 0, 5, 0]]
    assert got.input.dtype == np.float32 and not got.parameters
    theirs = typed(1.0, 0, 0, 3).backward(torch.from_numpy(x), torch.from_numpy(grad)).input
    assert theirs.tolist() == [[0, 2, 3, 0, 5, 0]] and theirs.dtype == torch.float32


def test_qparams():
    assert typed(0.5, 1, 0, 3).qparams()["scale"].tolist() == [0.5]
    assert typed(0.5, 1, 0, 3).qparams()["zero_point"].tolist() == [1]
    assert Codebook().qparams() == {"scale": None, "zero_point": None}


def test_targets():
    target = Target.of()
    assert (target.spec, target.granularity, target.mode) == (QuantSpec(), PER_TENSOR, Affine())
    by_channel = Granularity("per_channel", 0)
    target = Target.of(QuantSpec(4), by_channel, "power_of_two:tie=away")
    assert target == Target(QuantSpec(4), by_channel, PowerOfTwo(tie="away"))
    with pytest.raises(UnknownName, match="affine"):
        Target.of(mode="afine")
    with pytest.raises(QvizError, match="Allowed: even, away"):
        Target.of(mode="affine:tie=up")


def test_records_compare_by_identity():
    first, second = typed(1.0, 0, 0, 3), typed(1.0, 0, 0, 3)
    assert first == first and first != second  # == of arrays would raise
