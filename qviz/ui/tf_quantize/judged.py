"""Answers of all modes on what is looked at, with the codes used and the error of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.setting import Setting, mode_of
from qviz.dialects.tensorflow.views import Answer, answer
from qviz.metrics.base import overall
from qviz.metrics.reading import EXACT, LOSSLESS, read
from qviz.observers.base import OBSERVERS
from qviz.pipeline import Row
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import PER_TENSOR
from qviz.ui.state import compared
from qviz.ui.tf_quantize.subject import Subject


@dataclass(frozen=True, eq=False)
class Judged:
    """One mode's answer, and what it does to the values.

    ``sqnr`` in dB is None where there is none, ``lossless`` where nothing is lost. ``made`` is
    ``exact``, ``sketch``, or ``sample``.
    """

    answer: Answer
    used: int = 0
    sqnr: float | None = None
    lossless: bool = False
    made: str = EXACT


def judged(
    subject: Subject, names: Sequence[str], asked: tuple[float, float], setting: Setting
) -> list[Judged]:
    """One record per mode, refused ones included."""
    return [_judged(subject, answer(name, *asked, setting), asked, setting) for name in names]


def _judged(
    subject: Subject, found: Answer, asked: tuple[float, float], setting: Setting
) -> Judged:
    if found.quantizer is None or not subject.finite:
        return Judged(found)
    if setting.wide is not None:
        return _on_a_sample(subject, found, found.quantizer)
    lo, hi = asked
    mode = mode_of(found.name, setting)
    choice = subject.under(Target(setting.spec, PER_TENSOR, mode))
    by_hand = OBSERVERS.make(f"manual:lo={lo!r},hi={hi!r}")
    return _of_row(found, compared(choice, [by_hand]).rows[0])


def _of_row(found: Answer, row: Row) -> Judged:
    if row.totals is None:
        return Judged(found)
    totals = overall(row.totals)
    sqnr, used = (read(name, totals)[0] for name in ("sqnr", "codes_used"))
    count = 0 if used.value is None else int(used.value)
    return Judged(found, count, sqnr.value, sqnr.reason == LOSSLESS, sqnr.made)


def _on_a_sample(subject: Subject, found: Answer, quantizer: Quantizer) -> Judged:
    """Codes too many to count: at most 65,536 elements, evenly spaced."""
    x = subject.sample()
    codes = quantizer.quantize(x[None, :])
    error = xp.host(quantizer.dequantize(codes))[0].astype(np.float64) - x
    used = int(np.unique(xp.host(codes)).size)
    value, lossless = ratio(x, error)
    return Judged(found, used, value, lossless, "sample")


def ratio(x: np.ndarray, error: np.ndarray) -> tuple[float | None, bool]:
    """Signal over error in dB, and whether nothing is lost."""
    signal, noise = (float((v.astype(np.float64) ** 2).sum()) for v in (x, error))
    if noise == 0:
        return None, True
    return (10 * np.log10(signal / noise) if signal > 0 else None), False
