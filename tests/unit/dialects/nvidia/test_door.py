"""The calibrator under its own name."""

import inspect

import numpy as np
import pytest
import torch

from qviz.dialects.nvidia import (
    FailedRun,
    HistogramCalibrator,
    InvalidType,
    InvalidValue,
    NotOffered,
)
from qviz.errors import QvizError

X = np.random.default_rng(0).laplace(size=(20, 100)).astype(np.float32)


def made(x=X, **options):
    calibrator = HistogramCalibrator(**options)
    calibrator.collect(x)
    return calibrator


def test_arguments_are_nvidias():
    found = inspect.signature(HistogramCalibrator).parameters.values()
    assert {p.name: p.default for p in found} == {
        "num_bits": 8,
        "axis": None,
        "unsigned": False,
        "num_bins": 2048,
        "grow_method": None,
        "skip_zeros": False,
        "torch_hist": True,
    }
    found = inspect.signature(HistogramCalibrator.compute_amax).parameters.values()
    defaults = {p.name: p.default for p in found if p.kind is p.KEYWORD_ONLY}
    documented = {"stride": 1, "start_bin": 128, "percentile": 99.99}
    assert defaults == documented | {"reading": "released"}


def test_every_argument_matters():
    def entropy(calibrator, **options):
        return float(calibrator.compute_amax("entropy", **options))

    base = entropy(made())
    assert base != entropy(made(num_bits=4))
    assert base != entropy(made(num_bins=512))
    assert entropy(made(num_bits=4)) != entropy(made(num_bits=4, unsigned=True))
    assert base != entropy(made(), start_bin=1900)
    assert base != entropy(made(), stride=500)
    relu = np.maximum(X, 0)
    plain, without = (
        made(relu, skip_zeros=s).compute_amax("percentile", percentile=60) for s in (False, True)
    )
    assert plain < without
    cut = made().compute_amax("percentile", percentile=50)
    assert cut < made().compute_amax("percentile")


def test_mse_is_the_released_one_unless_asked():
    edge = np.abs(X).max() / 2048
    assert made().compute_amax("mse") == pytest.approx(128.5 * edge, rel=1e-6)
    assert made().compute_amax("mse", reading="intended") > 1000 * edge


def test_batches_and_reset():
    calibrator = made()
    calibrator.collect(2 * X)
    grown = calibrator.compute_amax("percentile", percentile=100)
    assert grown > np.abs(X).max()
    calibrator.reset()
    assert calibrator.compute_amax("percentile") is None
    calibrator.collect(X)
    assert calibrator.compute_amax("entropy") == made().compute_amax("entropy")


def test_results_are_of_the_kind_that_came():
    numpy, tensor = (made(x).compute_amax("entropy") for x in (X, torch.from_numpy(X)))
    assert numpy.dtype == np.float32 and numpy.shape == ()
    assert isinstance(tensor, torch.Tensor) and tensor.dtype == torch.float32
    assert float(tensor) == float(numpy)


@pytest.mark.parametrize(
    ("run", "kind", "builtin"),
    [
        (lambda: HistogramCalibrator(axis=0), NotOffered, NotImplementedError),
        (lambda: HistogramCalibrator(torch_hist=False), NotOffered, NotImplementedError),
        (lambda: made().compute_amax("max"), InvalidType, TypeError),
        (lambda: made().compute_amax("mse", reading="other"), InvalidType, TypeError),
        (lambda: made().compute_amax("percentile", percentile=101), InvalidValue, ValueError),
        (lambda: made(np.float32([np.nan])), FailedRun, RuntimeError),
        (lambda: made().compute_amax("entropy", start_bin=4000), FailedRun, RuntimeError),
    ],
)
def test_errors_are_of_both_kinds(run, kind, builtin):
    with pytest.raises(kind) as error:
        run()
    assert isinstance(error.value, QvizError) and isinstance(error.value, builtin)
    assert error.value.stands_for == builtin.__name__
