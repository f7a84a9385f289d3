"""torchao's observers, their fake quantization, the MSE search; and the members."""

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from qviz.dialects.pytorch import (
    AffineQuantizedFixedQParamObserver,
    AffineQuantizedMinMaxObserver,
    AffineQuantizedMovingAverageMinMaxObserver,
    AffineQuantizedMSEObserver,
    PerAxis,
    PerGroup,
    PerTensor,
    fake_quantize_affine,
    fake_quantize_affine_cachemask,
)
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.stream import Stream

X = np.float32([[-1, 0, 3, 1], [4, 8, -2, 0]])


def test_ranges_of_blocks():
    observer = AffineQuantizedMinMaxObserver("SYMMETRIC", torch.int8, PerGroup(2))
    assert observer(X) is X
    assert observer.min_val.tolist() == [[-1, 1], [4, -2]]
    observer(torch.from_numpy(X - 10))
    assert observer.min_val.tolist() == [[-11, -9], [-6, -12]]
    assert isinstance(observer.max_val, torch.Tensor)
    scale, zero = observer.calculate_qparams()
    assert scale.shape == zero.shape == (2, 2) and zero.dtype == torch.float32
    observer(np.zeros((0, 4), np.float32))
    with pytest.raises(AssertionError, match="shape"):
        observer(np.zeros((3, 4), np.float32))


def test_before_data_there_is_no_answer():
    with pytest.raises(AssertionError, match="No data"):
        AffineQuantizedMinMaxObserver("SYMMETRIC", "int8", PerTensor()).calculate_qparams()
    with pytest.raises(AssertionError, match="granularity is None"):
        AffineQuantizedMinMaxObserver("SYMMETRIC", "int8", None)


def test_codes_are_checked_when_asked_for():
    observer = AffineQuantizedMinMaxObserver("SYMMETRIC", "int8", PerTensor(), quant_min=-200)
    observer(X)
    with pytest.raises(AssertionError, match="out of bound"):
        observer.calculate_qparams()


def test_moving_average():
    observer = AffineQuantizedMovingAverageMinMaxObserver("ASYMMETRIC", "uint8", PerAxis(0), 0.5)
    for x in (X, X * 3):
        observer(x)
    assert observer.min_val.tolist() == [-2, -4]
    assert observer.calculate_qparams()[1].dtype == np.float32  # pt2e
    with pytest.raises(NotImplementedError):
        AffineQuantizedMovingAverageMinMaxObserver("ASYMMETRIC", "uint8", PerAxis(0), is_dynamic=1)


def test_fixed_qparams():
    observer = AffineQuantizedFixedQParamObserver("SYMMETRIC", "int8", PerTensor())
    assert [v.tolist() for v in observer.calculate_qparams()] == [[1], [0]]
    observer.set_qparams(torch.tensor([0.5]), torch.tensor([3]))
    scale, zero = observer.calculate_qparams()
    assert isinstance(scale, torch.Tensor) and (scale.tolist(), zero.tolist()) == ([0.5], [3])
    typed = AffineQuantizedFixedQParamObserver(
        "SYMMETRIC", "int8", PerTensor(), zero_point_dtype="int32", scale=np.float32([2])
    )
    assert typed.calculate_qparams()[1].dtype == np.int32


def test_fake_quantization():
    x = np.float32([[0.5, 1.5, 900, np.nan], [-7, np.inf, -np.inf, 2]])
    back = fake_quantize_affine(x, (1, 4), np.float32([1, 2]), np.int32([0, 1]), "int4")
    assert back[0].tolist()[:3] == [0, 2, 7] and np.isnan(back[0, 3])
    assert back[1].tolist() == [-8, 12, -18, 2]
    tensor = torch.from_numpy(x).double()
    again = fake_quantize_affine(tensor, (1, 4), np.float32([1, 2]), np.int32([0, 1]), "int4")
    assert isinstance(again, torch.Tensor) and again.dtype == torch.float64
    assert again.tolist()[1] == back[1].tolist()


def test_real_zero_points_and_none():
    x = np.float32([[0, 1, 2, 3]])
    scale, zero = np.float32([1]), np.float32([1.5])
    back = fake_quantize_affine(x, (1, 4), scale, zero, "uint2", zero_point_domain="FLOAT")
    assert back.tolist() == [[-0.5, 1.5, 1.5, 2.5]]  # ties of x + 0.5 go to the even code
    none = fake_quantize_affine(x, (1, 4), scale, None, "uint2", zero_point_domain="NONE")
    assert none.tolist() == [[0, 1, 2, 3]]


def test_the_mask_is_always_true():
    given = (np.float32([[-100, 100]]), (1, 2), np.float32([1]), np.int32([0]), "int4")
    y, mask = fake_quantize_affine_cachemask(*given, -8, 7)
    assert y.tolist() == [[-8, 7]] and mask.all()
    with pytest.raises(TypeError, match="needed"):
        fake_quantize_affine_cachemask(*given)
    with pytest.raises(NotImplementedError, match="float8"):
        fake_quantize_affine(*given[:4], "float8_e5m2")


def test_the_search_finds_the_first_of_the_least():
    x = np.float32([[-1, 0, 1, 8]])  # one bit each way: -t, 0 and t less one step
    observer = AffineQuantizedMSEObserver("SYMMETRIC", "int2", PerTensor(), steps=8)
    observer(x)
    losses = {}
    for i in range(1, 9):
        scale = np.float32(i) / np.float32(1.5)
        codes = np.clip(np.rint(x / scale), -2, 1)
        losses[i] = float(np.mean((codes * scale - x) ** 2))
    best = min(losses, key=losses.get)
    assert observer.max_val == best and observer.min_val == -best
    observer(x / 2)  # the latest batch alone counts
    assert observer.max_val == best / 2
    once = AffineQuantizedMSEObserver("SYMMETRIC", "int2", PerTensor(), steps=8, run_once=True)
    once(x)
    once(x / 2)
    assert once.max_val == best


def test_large_data_keep_their_own_extremes():
    x = np.float32([[-1e8, 3e8]])
    for given in (x, torch.from_numpy(x)):
        observer = AffineQuantizedMSEObserver("SYMMETRIC", "int2", PerTensor(), steps=5)
        observer(given)
        assert (observer.min_val.tolist(), observer.max_val.tolist()) == ([-1e8], [3e8])


@pytest.mark.parametrize("granularity", [PerTensor(), PerAxis(1), PerGroup(8)])
def test_both_kinds_of_arrays_choose_alike(granularity):
    x = np.random.default_rng(0).laplace(size=(6, 16)).astype(np.float32)
    found = []
    for given in (x, torch.from_numpy(x)):
        observer = AffineQuantizedMSEObserver("SYMMETRIC", "int4", granularity, steps=40)
        observer(given)
        found.append(np.asarray(observer.max_val))
    assert np.array_equal(*found)


def test_the_members_say_what_the_classes_say():
    x = np.random.default_rng(1).normal(size=(4, 64)).astype(np.float32)
    names = ("torch.torchao_minmax", "torch.torchao_mse:steps=40")
    for symmetric in (True, False):
        spec = QuantSpec(4, signed=True, symmetric=symmetric)
        target = Target.of(spec, Granularity("per_group", -1, 16), "torch.torchao_affine")
        rows = compare(Stream.of(x), [OBSERVERS.make(name) for name in names], target).rows
        mapping = "SYMMETRIC" if symmetric else "ASYMMETRIC"
        kinds = (AffineQuantizedMinMaxObserver, AffineQuantizedMSEObserver)
        for row, kind in zip(rows, kinds, strict=True):
            given = {"steps": 40} if kind is AffineQuantizedMSEObserver else {}
            observer = kind(mapping, "int4", PerGroup(16), **given)
            observer(x)
            scale, zero = observer.calculate_qparams()
            assert row.qparams["scale"].tolist() == scale.ravel().tolist()
            assert row.qparams["zero_point"].tolist() == zero.ravel().tolist()


def test_what_the_modes_serve():
    mode, other = (QUANTIZERS.make(f"torch.torchao_{n}") for n in ("affine", "no_clipping"))
    assert mode.accepts(Target.of(QuantSpec(4), mode=mode)) is None
    assert "9 to 15" in mode.accepts(Target.of(QuantSpec(12), mode=mode))
    assert "symmetric" in other.accepts(Target.of(QuantSpec(8, signed=True), mode=other))
    grid = other.quantizer(Range(-4.0, 3.0), QuantSpec(8, signed=True, symmetric=True))
    assert grid.step.tolist() == [np.float32(4) / np.float32(128)]
    assert (
        pytorch.choose_qparams_affine_with_min_max(
            np.float32([-4]), np.float32([3]), "SYMMETRIC_NO_CLIPPING_ERR", [], "int8"
        )[0].tolist()
        == grid.step.tolist()
    )
