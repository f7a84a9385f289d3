"""What a part of a case comes back with under the step of all: it drowns in the sum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from qviz import xp
from qviz.doctor.base import Fix
from qviz.doctor.case import Case
from qviz.doctor.remedies import Remedies, ranked, sqnr
from qviz.doctor.settings import Setting, how
from qviz.errors import QvizError
from qviz.pipeline.judging import settle
from qviz.quantizers.base import Quantizer
from qviz.stats.gather import gather
from qviz.xp import Array

LOOKED = 2**20  # elements of a batch


def left(batches: Sequence[Array], quantizer: Quantizer) -> float | None:
    """SQNR in dB of these batches alone, at most 200; None where they hold only 0.

    What is not finite counts as 0; of a batch the first 2^20 elements are read.
    """
    xx = ee = 0.0
    for batch in batches:
        x = xp.host(xp.working(batch.reshape(1, -1)[:, :LOOKED]))
        x = np.where(np.isfinite(x), x, 0)
        e = xp.host(quantizer.fake_quantize(x)).astype(np.float64) - x
        xx, ee = xx + float((x.astype(np.float64) ** 2).sum()), ee + float((e * e).sum())
    made = sqnr(xx, ee)
    return None if np.isnan(made) else made


def gains(
    case: Case, ways: Iterable[tuple[str, Setting]], batches: Sequence[Array], at: str
) -> Remedies:
    """Each way tried on all of the case, its gain measured on ``batches``, which ``at`` names."""
    made = case.row.quantizer
    now = None if made is None else left(batches, made)
    fixes = []
    for words, setting in ways if now is not None else ():
        tried = settled(case, setting)
        then = None if tried is None else left(batches, tried)
        if now is not None and then is not None:
            fixes.append(Fix(words, then - now, how(case, setting), at))
    return ranked(fixes)


def settled(case: Case, setting: Setting) -> Quantizer | None:
    """What a setting with one range for all of the case comes to; None where it cannot serve."""
    try:
        seen = gather(case.values.tiles[0], setting.observer.needs, case.seen)
        return settle(setting.observer, seen, setting.target).quantizer
    except QvizError:
        return None


def parted(case: Case, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Finite values up to ``end`` in magnitude, and those beyond.

    Of each at most 2^20, evenly spaced.
    """
    near, far = [], []
    for batch in case.values.batches:
        x = xp.host(xp.working(batch)).reshape(-1)
        size = np.abs(x)
        near.append(x[size <= end])
        far.append(x[(size > end) & np.isfinite(x)])
    first, second = (_thinned(np.concatenate(part)) for part in (near, far))
    return first, second


def _thinned(x: np.ndarray) -> np.ndarray:
    return x[:: max(1, -(-x.size // LOOKED))]
