"""Rows of a comparison as plain records: what tables, files and reports are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from qviz.metrics.base import overall
from qviz.metrics.reading import EXACT, Reading, read_all
from qviz.pipeline.rows import Row


@dataclass(frozen=True, eq=False)
class Record:
    """One observer on the whole tensor (``group`` None) or on one group.

    ``lo`` and ``hi`` are the range that was asked for; what the grid covers where the observer
    gave qparams itself. They, ``scale`` and ``zero_point`` are None where the elements do not
    share them. A refused observer has ``refused`` and nothing else.
    """

    observer: str
    group: int | None = None
    lo: float | None = None
    hi: float | None = None
    scale: float | None = None
    zero_point: int | float | None = None
    quant_min: int | None = None
    quant_max: int | None = None
    range_exact: bool = True
    refused: str | None = None
    readings: Mapping[str, Reading] = field(default_factory=dict)

    @property
    def approximate(self) -> tuple[str, ...]:
        """Names of the metrics that are read off a sketch."""
        return tuple(name for name, r in self.readings.items() if r.mark != EXACT)

    @property
    def exact(self) -> bool | None:
        """Whether all numbers are exact; None for a refused observer."""
        return None if self.refused else self.range_exact and not self.approximate


def record(row: Row) -> Record:
    """The whole tensor: metrics over all groups."""
    if row.totals is None or row.covered is None or row.ends is None:
        return Record(row.spelling, refused=row.refused or "It gave no result.")
    one = row.totals.groups == 1
    readings = {n: r[0] for n, r in read_all(overall(row.totals), row.channels).items()}
    return _record(row, None, 0 if one else None, readings)


def group_records(row: Row) -> Iterator[Record]:
    """One record per group, where there are several."""
    if row.totals is None or row.totals.groups == 1:
        return
    readings = read_all(row.totals)
    for g in range(row.totals.groups):
        yield _record(row, g, g, {name: r[g] for name, r in readings.items()})


def _record(row: Row, group: int | None, at: int | None, readings: Mapping[str, Reading]) -> Record:
    asked = row.range or row.covered
    ends, qparams = row.ends, row.qparams or {}
    zero = _at(qparams.get("zero_point"), at)
    return Record(
        row.spelling,
        group,
        None if asked is None else _at(asked.lo, at),
        None if asked is None else _at(asked.hi, at),
        _at(qparams.get("scale"), at),
        int(zero) if zero is not None and zero == int(zero) else zero,
        *(ends or (None, None)),
        range_exact=asked is None or asked.exact,
        readings=readings,
    )


def _at(column: np.ndarray | None, at: int | None) -> float | None:
    return None if column is None or at is None else float(column[at if len(column) > 1 else 0])
