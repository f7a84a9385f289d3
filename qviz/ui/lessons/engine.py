"""The engine as lessons use it: one group, exact, in the conventions of the lessons.

Symmetric: codes -m..m, step = largest magnitude / m. Affine: codes 0..2^b - 1, the range widened
to hold 0, step = width / (2^b - 1). Ties to even.
"""

from __future__ import annotations

import numpy as np

from qviz.metrics.base import Totals
from qviz.metrics.producers import Frame, of_rows_each
from qviz.metrics.reading import read
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import QuantSpec, Range


def symmetric(clip: float, bits: int = 8) -> Quantizer:
    """The grid of codes -m..m with m = 2^(bits-1) - 1 that ends at ±clip."""
    return _grid(-clip, clip, QuantSpec(bits, signed=True, symmetric=True, narrow_range=True))


def affine(lo: float, hi: float, bits: int = 8) -> Quantizer:
    """The grid of codes 0..2^bits - 1 over [lo, hi], widened to hold 0."""
    return _grid(lo, hi, QuantSpec(bits))


def _grid(lo: float, hi: float, spec: QuantSpec) -> Quantizer:
    return Target.of(spec).mode.quantizer(Range(*np.array([lo, hi])), spec)


def judged(x: np.ndarray, quantizers: list[Quantizer]) -> list[Totals]:
    """Exact totals of a tensor under each quantizer."""
    rows = np.asarray(x, np.float64).reshape(1, -1)
    return of_rows_each(rows, quantizers, Frame(rows.min(axis=1), rows.max(axis=1)))


def metric(name: str, x: np.ndarray, quantizer: Quantizer) -> float:
    """One metric of a tensor under a quantizer; NaN where it does not exist."""
    value = read(name, judged(x, [quantizer])[0])[0].value
    return float("nan") if value is None else value


def codes(x: np.ndarray, quantizer: Quantizer) -> np.ndarray:
    """Codes of a tensor, float64, of its shape."""
    rows = np.asarray(x, np.float64)
    return np.asarray(quantizer.quantize(rows.reshape(1, -1)), np.float64).reshape(rows.shape)


def returned(x: np.ndarray, quantizer: Quantizer) -> np.ndarray:
    """What comes back, float64, of the tensor's shape."""
    rows = np.asarray(x, np.float64)
    back = quantizer.fake_quantize(rows.reshape(1, -1))
    return np.asarray(back, np.float64).reshape(rows.shape)


def decibel(true: np.ndarray, got: np.ndarray) -> float:
    """SQNR in dB of a result against the true one; infinite where they agree."""
    error = float(((got - true) ** 2).sum())
    return 10 * float(np.log10((true**2).sum() / error)) if error else float("inf")


def step_of(quantizer: Quantizer) -> float:
    """Step of the only group of an even grid; NaN without one."""
    return float("nan") if quantizer.step is None else float(np.ravel(quantizer.step)[0])


def zero_point(quantizer: Quantizer) -> int:
    """Code of 0 of the only group."""
    found = quantizer.qparams()["zero_point"]
    return 0 if found is None else int(np.ravel(found)[0])
