"""Results as text for people, and as strict JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from qviz.cli.results import Result
from qviz.cli.text import NOTHING, label, number, plain, table
from qviz.metrics.base import METRICS
from qviz.metrics.reading import EXACT, LOSSLESS
from qviz.pipeline.records import Record

FIRST = ("sqnr", "rmse_steps", "clipped_share", "cosine", "worst_channel")
PARAMETERS = ("lo", "hi", "scale", "zero_point")
PLAIN = ("observer", *PARAMETERS, "quant_min", "quant_max", "exact")


def rows(results: Sequence[Result]) -> str:
    """A JSON list: per tensor and observer one row, then one per group where there are several."""
    found = [row for one in results for row in _json_rows(one)]
    return json.dumps(found, indent=1, allow_nan=False)


def single(one: Result) -> str:
    """A heading and a table, best observer first."""
    shape = " x ".join(map(str, one.info.shape)) or "single value"
    groups = max(map(len, one.groups), default=0)
    heading = f"{label(one.info.name)}  {one.info.dtype}  {shape}"
    heading += f"  {groups} groups" if groups else ""
    served = [record for record in one.records if not record.refused]
    metrics = _columns(one, served)
    parameters = () if groups else PARAMETERS
    cells = [(r.observer, *_parameters(r, parameters), *_metrics(r, metrics)) for r in served]
    parts = [table(("observer", *parameters, *metrics), cells)] if cells else []
    return "\n".join([heading, *parts, *one.notes, *_refusals(one)])


def many(results: Sequence[Result]) -> str:
    """One line per tensor: its best observer, what that reaches, and what min-max reaches."""
    metric = results[0].metric
    heads = ("tensor", "type", "shape", "best observer", metric, f"minmax {metric}", "gain")
    lines = [_line(one) for one in results if not one.refused]
    refused = [_refused(one.info.name, one.refused) for one in results if one.refused]
    return "\n".join([table(heads, lines, left=4), *refused])


def _refusals(one: Result) -> list[str]:
    """Each reason once, with the observers that give it."""
    by_reason: dict[str, list[str]] = {}
    for record in one.records:
        if record.refused:
            by_reason.setdefault(record.refused, []).append(record.observer)
    whose = {reason: ", ".join(names) for reason, names in by_reason.items()}
    if len(one.records) > 1 and by_reason.get(one.refused, []) == [r.observer for r in one.records]:
        whose = {one.refused: "every observer"}
    return [f"{plain(names)}  refused: {plain(reason)}" for reason, names in whose.items()]


def _refused(name: str, reason: str) -> str:
    return f"{label(name)}  refused: {plain(reason)}"


def _line(one: Result) -> tuple[str, ...]:
    shape = "x".join(map(str, one.info.shape)) or NOTHING
    naive = next((r for r in one.records if r.observer == "minmax" and not r.refused), None)
    least = NOTHING if naive is None else _metric(naive, one.metric)
    best = _metric(one.best, one.metric)
    start = (label(one.info.name), one.info.dtype, shape, one.best.observer)
    return (*start, best, least, _gain(one.best, naive, one.metric))


def _gain(best: Record, naive: Record | None, metric: str) -> str:
    reached = None if naive is None else naive.readings[metric].value
    value = best.readings[metric].value
    return NOTHING if reached is None or value is None else number(value - reached)


def _columns(one: Result, served: Sequence[Record]) -> tuple[str, ...]:
    wanted = dict.fromkeys((one.metric, *FIRST))
    there = {n for r in served for n, reading in r.readings.items() if reading.value is not None}
    return tuple(n for n in wanted if n in METRICS and (n in there or n == one.metric))


def _parameters(record: Record, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        rough = name in ("lo", "hi") and not record.range_exact
        yield number(getattr(record, name), rough)


def _metrics(record: Record, names: Sequence[str]) -> Iterator[str]:
    return (_metric(record, name) for name in names)


def _metric(record: Record, name: str) -> str:
    reading = record.readings[name]
    if reading.value is None and reading.reason == LOSSLESS:
        return LOSSLESS
    return number(reading.value, reading.mark != EXACT)


def _json_rows(one: Result) -> Iterator[dict[str, Any]]:
    for record, groups in zip(one.records, one.groups, strict=True):
        yield _json_row(one.info.name, record)
        yield from (_json_row(one.info.name, group) for group in groups)


def _json_row(tensor: str, record: Record) -> dict[str, Any]:
    row: dict[str, Any] = {"tensor": tensor, "group": record.group}
    row |= {name: strict(getattr(record, name)) for name in PLAIN}
    row["metrics"] = {name: _value(record, name) for name in METRICS}
    return row | ({"refused": record.refused} if record.refused else {})


def _value(record: Record, name: str) -> float | None:
    value = record.readings[name].value if name in record.readings else None
    whole = METRICS.entry(name).notes.get("decimals") == 0
    return int(value) if whole and value is not None else strict(value)


def strict(value: Any) -> Any:
    """A value that JSON knows: what is not finite is null, whole numbers stay whole."""
    if isinstance(value, bool | str | int) or value is None:
        return value
    if hasattr(value, "item"):
        return strict(value.item())
    return value if math.isfinite(value) else None
