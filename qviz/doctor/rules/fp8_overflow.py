"""Values that a float8 format does not reach."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from qviz.doctor.base import HIGH, LEVELS, MEDIUM, NOTE, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.formats import Format, format_of, pieces, rounded
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.words import number, percent

GONE = 0.01  # share of the values other than 0, from which it is worth a word that they become 0
CASTS = (
    "torch 2.13",
    "ml_dtypes",
    "ONNX Runtime with saturate=1",
    "ONNX Runtime with saturate=0",
)
SATURATED = ("float8_e4m3fn",)  # by torch's cast, which makes others NaN or infinite


class Sums(NamedTuple):
    """Counts of finite elements; energy and squared errors in units of the largest, squared.

    ``over`` lie beyond the maximum, ``lost`` would round to more than it, ``zeroed`` become 0
    although they are not, ``below`` the smallest number once the largest is scaled to the maximum.
    """

    count: int
    nonzero: int
    over: int
    lost: int
    zeroed: int
    below: int
    energy: float
    saturating: float
    losing: float
    scaled: float

    @property
    def zeroed_share(self) -> float:
        """Of the elements other than 0."""
        return self.zeroed / self.nonzero


@rule(
    "FP8-OVERFLOW",
    title="Values that float8 does not reach",
    fires=(
        "stored as float8: a value lies beyond the largest number, or over 1 % of those other "
        "than 0 become 0"
    ),
    rated=(
        "high where torch makes NaN or infinity of them; the gain of scaling, at least medium, "
        "where it saturates; a note where values only become 0"
    ),
    reports=("jax-ml/ml_dtypes#400", "jax-ml/ml_dtypes#260", "onnx/onnx#6220"),
)
def fp8_overflow(case: Case) -> Finding | None:
    """The share beyond the largest number, what each cast makes of it, and a scale that fits."""
    kept = format_of(case.stored_as) if case.stored_as else None
    if kept is None or kept.block > 1:
        return None
    amax = max(abs(end) for end in case.ends)
    if amax == 0:
        return None
    parts = [_sums(piece, kept, amax) for piece in pieces(case.values.batches)]
    totals: list[Any] = [sum(column) for column in zip(*parts, strict=True)]
    sums = Sums(*totals)
    if not sums.over and sums.zeroed_share <= GONE:
        return None
    ways = {name: sqnr(sums.energy, getattr(sums, name)) for name in Sums._fields[-3:]}
    now = ways["saturating" if kept.name in SATURATED else "losing"]
    words = f"divide by {number(amax / kept.maximum)} (largest / {kept.maximum:g}) before the cast"
    found = ranked([Fix(f"{words}, multiply after it", ways["scaled"] - now)])
    level = _severity(sums, kept, found.severity)
    evidence = _evidence(sums, kept, amax) | {f"sqnr_{name}": v for name, v in ways.items()}
    return Finding(level, _message(sums, kept, amax), evidence, found.fixes, found.tried)


def becomes(kept: Format) -> dict[str, str]:
    """What each cast makes of values far beyond the largest number; measured on the CPU.

    torch 2.13.0, ml_dtypes 0.6.0, ONNX Runtime 1.32.0. Values less than half a step beyond the
    largest number round to it everywhere. With saturate=0 ONNX Runtime makes NaN of float8_e5m2
    from 61440 to 65536 and infinity from there on, and 448 of float8_e4m3fn from 480 to 496.
    """
    flat, gone = f"±{kept.maximum:g}", "±inf" if math.isinf(kept.beyond) else "NaN"
    there = flat if kept.name in SATURATED else gone
    return dict(zip(CASTS, (there, gone, flat, gone), strict=True))


def _sums(piece: np.ndarray, kept: Format, amax: float) -> Sums:
    x = piece[np.isfinite(piece)]
    size, unit = np.abs(x), x / amax
    cast, there = rounded(x, kept, saturate=False), size > 0
    reached, scaled = np.isfinite(cast), unit * kept.maximum
    return Sums(
        x.size,
        int(there.sum()),
        int((size > kept.maximum).sum()),
        int((~reached).sum()),
        int(((cast == 0) & there).sum()),
        int(((np.abs(scaled) < kept.smallest) & there).sum()),
        _squares(unit),
        _squares(np.where(reached, cast, np.copysign(kept.maximum, x)) / amax - unit),
        _squares(np.where(reached, cast, 0) / amax - unit),
        _squares(rounded(scaled, kept) / kept.maximum - unit),
    )


def _squares(x: np.ndarray) -> float:
    return float(np.vdot(x, x))


def _severity(sums: Sums, kept: Format, gain: str) -> str:
    if not sums.lost:
        return NOTE
    return max(gain, MEDIUM, key=LEVELS.index) if kept.name in SATURATED else HIGH


def _evidence(sums: Sums, kept: Format, amax: float) -> dict[str, Any]:
    made: dict[str, Any] = {"format": kept.name, "share": sums.over / sums.count}
    made |= {"over": sums.over, "lost": sums.lost, "largest": amax, "maximum": kept.maximum}
    made |= {"smallest": kept.smallest, "scale": amax / kept.maximum, "threshold": GONE}
    made["zeroed_share"] = sums.zeroed_share
    made["below_smallest_scaled"] = sums.below / sums.nonzero
    return made | {"becomes": becomes(kept)}


def _message(sums: Sums, kept: Format, amax: float) -> str:
    zeroed = (
        f"{percent(sums.zeroed_share)} of the values other than 0 become 0 (over {percent(GONE)}): "
        f"the smallest number of {kept.name} is {number(kept.smallest)}."
    )
    if not sums.over:
        return zeroed
    said = _made_of(kept) if sums.lost else "they round to it"
    more = f" {zeroed}" if sums.zeroed_share > GONE else ""
    return (
        f"{percent(sums.over / sums.count)} of the values, up to {number(amax)}, lie beyond "
        f"{kept.maximum:g}, the largest number of {kept.name} (0 % allowed): {said}.{more}"
    )


def _made_of(kept: Format) -> str:
    """``they become ±448 (torch 2.13, ...), NaN (ml_dtypes, ...)``."""
    casts: dict[str, list[str]] = {}
    for who, what in becomes(kept).items():
        casts.setdefault(what, []).append(who)
    return "they become " + ", ".join(f"{what} ({', '.join(who)})" for what, who in casts.items())
