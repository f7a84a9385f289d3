"""Blocks whose largest element is clipped, as their shared scale is rounded down."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qviz.doctor.base import NOTE, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.formats import BLOCK, SHARED, Format, blocks, exponents, format_of, in_blocks
from qviz.doctor.remedies import WORTH, Remedies, ranked, sqnr
from qviz.doctor.words import percent
from qviz.errors import QvizError

SHARE = 0.01  # of the blocks
BINS = 16  # of the largest elements over their scales
SCALES = ("down", "up", "better")


class Sums(NamedTuple):
    """Of blocks that are not all zeros; squared errors in units of the largest value, squared.

    Scales are rounded ``down``, ``up`` where they clip, or the ``better`` of both for each block.
    ``loss`` is the largest share that the largest element of a block loses. ``counts`` are blocks
    by their largest element over the scale rounded down, from the largest power of two of the
    format to its double.
    """

    blocks: int
    clipped: int
    loss: float
    energy: float
    down: float
    up: float
    better: float
    counts: np.ndarray


@rule(
    "MX-CLIPPED",
    title="Blocks clip their largest element",
    fires="stored in MX blocks: in over 1 % of them amax / scale exceeds the largest number",
    rated="the gain of rounding scales up; as expected where nothing gains",
    reports=("ROCm/aiter#3212", "ml-explore/mlx#4353"),
)
def mx_clipped(case: Case) -> Finding | None:
    """The share of clipped blocks, what their largest elements lose, and other scales."""
    kept = format_of(case.stored_as) if case.stored_as else None
    if kept is None or kept.block == 1:
        return None
    largest = max(abs(end) for end in case.ends)
    if largest >= 2.0 ** (SHARED + kept.power):
        raise QvizError("There are values beyond what scales up to 2^127 reach.")
    parts = [_sums(rows, kept, largest) for rows in blocks(case.values.batches)]
    totals: list[Any] = [sum(column) for column in zip(*parts, strict=True)]
    sums = Sums(*totals)._replace(loss=max(part.loss for part in parts))
    if sums.clipped <= SHARE * sums.blocks:
        return None
    made = _scales(sums)
    message = (
        f"{percent(sums.clipped / sums.blocks)} of the blocks of {BLOCK} (over {percent(SHARE)}) "
        f"reach beyond {kept.maximum:g}, the largest number of {kept.name}, since scales "
        f"are rounded down: their largest elements are clipped and lose up to {percent(sums.loss)}."
    )
    if not made.fixes:
        return Finding(NOTE, message, _evidence(sums, kept), tried=made.tried, expected=True)
    return made.finding(message, _evidence(sums, kept))


def _sums(rows: np.ndarray, kept: Format, largest: float) -> Sums:
    amax = np.abs(rows).max(axis=1, initial=0.0)
    rows, amax = rows[amax > 0], amax[amax > 0]
    power = exponents(amax, kept)
    ratio = np.ldexp(amax, -power)
    over = ratio > kept.maximum
    down = _lost(rows, power, kept, largest)
    up = down.copy()
    up[over] = _lost(rows[over], exponents(amax[over], kept, up=True), kept, largest)
    place = np.ceil((ratio / 2.0**kept.power - 1) * BINS) - 1  # a bin holds its upper edge
    place = np.clip(place, 0, BINS - 1).astype(np.int64)
    return Sums(
        len(rows),
        int(over.sum()),
        1 - kept.maximum / float(ratio.max(initial=kept.maximum)),
        float(np.square(rows / largest).sum()),
        float(down.sum()),
        float(up.sum()),
        float(np.minimum(down, up).sum()),
        np.bincount(place, minlength=BINS),
    )


def _lost(rows: np.ndarray, power: np.ndarray, kept: Format, largest: float) -> np.ndarray:
    """Squared error of each block."""
    return np.square(in_blocks(rows, power, kept) / largest - rows / largest).sum(axis=1)


def _scales(sums: Sums) -> Remedies:
    """Scales rounded up, and chosen for each block where that gains more."""
    now, up, better = (sqnr(sums.energy, getattr(sums, name)) for name in SCALES)
    ways = [Fix("round the scale up where it clips", up - now)]
    if better - up > WORTH:
        ways.append(Fix("try both scales in each block, keep the better", better - now))
    return ranked(ways)


def _evidence(sums: Sums, kept: Format) -> dict[str, Any]:
    made: dict[str, Any] = {"format": kept.name, "share": sums.clipped / sums.blocks}
    made |= {"blocks": sums.blocks, "clipped": sums.clipped, "threshold": SHARE}
    made |= {"maximum": kept.maximum, "largest_power": 2.0**kept.power, "largest_loss": sums.loss}
    made |= {f"sqnr_{name}": sqnr(sums.energy, getattr(sums, name)) for name in SCALES}
    return made | {"counts": sums.counts.tolist()}
