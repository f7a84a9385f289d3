"""An output of a model against what it is without a change, and against labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from qviz.metrics.base import decibels
from qviz.models.alone import Outcome

Parts = Sequence[np.ndarray]  # of one output, batch by batch
Pairs = Sequence[tuple[np.ndarray, np.ndarray]]
NOT_FINITE = "No element of the output is finite."
SILENT = "All finite elements of the output are zero."
BROKEN = "The output is not finite where it was before."
BEYOND = "The error is beyond float64."
UNSEEN = "No finite element changed by enough to tell."
RESHAPED = "The output has another shape."
WITHOUT = "There is no accuracy."


def samples_of(parts: Parts) -> int:
    """Number of samples along axis 0, all batches together; a single value is one."""
    return sum(len(part) if part.ndim else 1 for part in parts)


def compared(reference: Parts, found: Parts, accuracy: float | None = None) -> Outcome:
    """SQNR in dB, 10 log10(sum x^2 / sum (y - x)^2), where the reference x is finite.

    Nothing is lost where all elements are equal: the same infinities, and NaN in the same places.
    Where there is no number, ``note`` says why.
    """
    if [x.shape for x in reference] != [y.shape for y in found]:
        return Outcome(None, accuracy, note=RESHAPED)
    pairs = list(zip(reference, found, strict=True))
    same = all(np.array_equal(x, y, equal_nan=True) for x, y in pairs)
    if not any(np.isfinite(x).any() for x in reference):
        return Outcome(None, accuracy, same, NOT_FINITE)
    if same:
        return Outcome(None, accuracy, True)
    with np.errstate(all="ignore"):
        signal, noise = _energies(pairs)
        value = float(decibels(np.array(signal), np.array(noise)))
    if math.isfinite(value):
        return Outcome(value, accuracy)
    return Outcome(None, accuracy, note=_reason(signal, noise, pairs))


def _energies(pairs: Pairs) -> tuple[float, float]:
    """Sums of x^2 and (y - x)^2, both over the square of a power of two.

    So neither overflows nor vanishes that has a number, and no bit of the ratio changes.
    """
    top = max(float(np.abs(x).max(initial=0.0)) for x, _ in _finite(pairs))
    power, signal, noise = math.frexp(top)[1], 0.0, 0.0
    for exact, other in _finite(pairs):
        x, y = np.ldexp(exact, -power), np.ldexp(other, -power)
        signal += float(np.sum(x * x))
        noise += float(np.sum((y - x) ** 2))
    return signal, noise


def _finite(pairs: Pairs) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Both in float64, where the first is finite."""
    for x, y in pairs:
        there = np.isfinite(x)
        some = (x, y) if there.all() else (x[there], y[there])
        yield some[0].astype(np.float64), some[1].astype(np.float64)


def _reason(signal: float, noise: float, pairs: Pairs) -> str:
    if not signal:
        return SILENT
    if not noise:
        return UNSEEN
    return BEYOND if all(np.isfinite(y).all() for _, y in _finite(pairs)) else BROKEN


def accuracy_of(parts: Parts, labels: np.ndarray | None) -> float | None:
    """Share of the samples whose largest output is their label.

    None without labels, and where ``misfit`` says why. A sample with NaN has no largest output.
    """
    if labels is None or misfit(parts, labels):
        return None
    rows = np.concatenate([_rows(part) for part in parts])
    told = ~np.isnan(rows).any(axis=1)
    return float(np.mean((rows.argmax(axis=1) == labels) & told))


def misfit(parts: Parts, labels: np.ndarray | None) -> str:
    """Why labels cannot be compared with an output; empty where they can, or without any.

    Samples lie on axis 0, classes on the only other axis that is longer than 1.
    """
    if labels is None:
        return ""
    classes = {_classes(part) for part in parts}
    columns = classes.pop() if len(classes) == 1 else None
    if columns is None:
        shape = " x ".join(map(str, parts[0].shape[1:])) or "a single value"
        return f"{WITHOUT} A sample of the output is {shape}: no axis of classes."
    if samples_of(parts) != len(labels):
        many = f"{len(labels)} labels for {samples_of(parts)} samples"
        return f"{WITHOUT} There are {many} of the output."
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= columns:
        there = f"columns of the output from 0 to {columns - 1}"
        return f"{WITHOUT} Labels go from {low} to {high}, {there}."
    return ""


def _classes(part: np.ndarray) -> int | None:
    long = [n for n in part.shape[1:] if n != 1]
    return long[0] if len(long) == 1 and long[0] else None


def _rows(part: np.ndarray) -> np.ndarray:
    return part.reshape(len(part), math.prod(part.shape[1:]))
