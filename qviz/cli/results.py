"""Results of tensors, and their order: the worst tensor first, its best observer first."""

from __future__ import annotations

from dataclasses import dataclass

from qviz import api
from qviz.metrics.base import METRICS
from qviz.metrics.reading import LOSSLESS
from qviz.pipeline.records import Record, group_records
from qviz.sources.base import TensorInfo

FLOATS = ("float", "bfloat")
Place = tuple[int, float]


@dataclass(frozen=True, eq=False)
class Result:
    """One tensor, its records best first, and per record those of its groups.

    ``notes`` say what the numbers of its type lose.
    """

    info: TensorInfo
    records: tuple[Record, ...]
    groups: tuple[tuple[Record, ...], ...]
    metric: str
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Record:
        """The record that leads."""
        return self.records[0]

    @property
    def refused(self) -> str:
        """Why no observer could serve, or an empty text."""
        return self.best.refused or ""


def result(
    info: TensorInfo, comparison: api.Comparison, metric: str, *, groups: bool = True
) -> Result:
    """Records of a comparison, sorted by the metric; those of groups only where asked for."""
    both = [(r, tuple(group_records(row)) if groups else ()) for r, row in _pairs(comparison)]
    both.sort(key=lambda pair: place(pair[0], metric))
    return Result(info, tuple(r for r, _ in both), tuple(g for _, g in both), metric)


def place(record: Record, metric: str) -> Place:
    """Sorts best first: lossless ones, then by value; without a value, then refused, last."""
    if record.refused:
        return 3, 0.0
    reading = record.readings[metric]
    if reading.value is None:
        return (0 if reading.reason == LOSSLESS else 2), 0.0
    high = METRICS.entry(metric).notes.get("better") == "high"
    return 1, -reading.value if high else abs(reading.value)


def worst_first(results: list[Result]) -> list[Result]:
    """Float tensors by what their best observer reaches, then biases, other types, failures."""
    return sorted(results, key=_rank)


def _rank(one: Result) -> tuple[int, int, float]:
    kind, value = place(one.best, one.metric)
    floating = one.info.dtype.startswith(FLOATS)
    late = 3 if one.refused else 2 if not floating else int(one.info.role == "bias")
    return late, -kind, -value


def _pairs(comparison: api.Comparison) -> zip[tuple[Record, api.pipeline.Row]]:
    return zip(comparison.records, comparison.rows, strict=True)
