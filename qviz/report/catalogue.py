"""Everything that is registered: observers, modes and metrics, with what each says of itself."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from qviz import dialects
from qviz.dialects import Dialect
from qviz.metrics.base import METRICS
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.registry import Entry, Source, knobs_of, write_knob

KINDS = {"observer": OBSERVERS, "mode": QUANTIZERS, "metric": METRICS}
DIFFERS = "Differs:"
NEUTRAL = Dialect(
    key="",
    prefix="",
    title="Neutral",
    documents=(),
    rounding="half to even, unless a knob says otherwise",
    compute_dtype="float64",
    configuration="The rules of no framework",
)


@dataclass(frozen=True)
class KnobLine:
    """One knob: its default and what it may be, as text."""

    name: str
    default: str
    allowed: str
    help: str


@dataclass(frozen=True)
class Item:
    """One member: what it is, where its rule is from, and how it computes.

    ``precision`` is the float type in which ranges, codes or sums are computed, ``rounding``
    where ties go (empty for metrics). ``says`` is its docstring's text, ``differs`` what sets it
    apart from what one might expect. ``listed`` are its entries in the list of observers.
    """

    kind: str
    name: str
    title: str
    dialect: str
    source: Source
    precision: str
    rounding: str
    says: tuple[str, ...]
    differs: str
    knobs: tuple[KnobLine, ...]
    listed: tuple[str, ...]
    unit: str


def homes() -> dict[str, Dialect]:
    """The neutral rules first, then all dialects by title; by key."""
    found = [
        importlib.import_module(f"{dialects.__name__}.{package.name}.dialect").DIALECT
        for package in pkgutil.iter_modules(dialects.__path__)
        if package.ispkg
    ]
    ordered = sorted(found, key=lambda dialect: dialect.title.lower())
    return {dialect.key: dialect for dialect in (NEUTRAL, *ordered)}


def catalogue() -> tuple[Item, ...]:
    """All members: by kind, then by dialect in the order of ``homes``, then by name."""
    known = homes()
    order = {dialect.title: place for place, dialect in enumerate(known.values())}
    items = [
        _item(kind, registry.entry(name), known)
        for kind, registry in KINDS.items()
        for name in registry
    ]
    kinds = list(KINDS)
    return tuple(sorted(items, key=lambda i: (kinds.index(i.kind), order[i.dialect], i.name)))


def _item(kind: str, entry: Entry, known: dict[str, Dialect]) -> Item:
    _, part, key, *_ = (*entry.made.__module__.split("."), "", "")
    home = known[key] if part == "dialects" else NEUTRAL
    says, differs = read(inspect.getdoc(entry.made) or "")
    return Item(
        kind=kind,
        name=entry.name,
        title=entry.title,
        dialect=home.title,
        source=entry.source,
        precision=home.compute_dtype,
        rounding="" if kind == "metric" else home.rounding,
        says=says,
        differs=differs,
        knobs=tuple(_knobs(entry.made)),
        listed=tuple(name for name in entry.presets if name != entry.name),
        unit=str(entry.notes.get("unit", "")),
    )


def read(docstring: str) -> tuple[tuple[str, ...], str]:
    """Paragraphs of a docstring up to its sections, and the text after ``Differs:``."""
    says, differs = [], ""
    for paragraph in docstring.split("\n\n"):
        lines = paragraph.splitlines()
        if len(lines) > 1 and set(lines[1]) == {"-"}:
            break
        text = " ".join(line.strip() for line in lines)
        if text.startswith(DIFFERS):
            differs = text.removeprefix(DIFFERS).strip()
        elif text:
            says.append(text)
    return tuple(says), differs


def _knobs(made: Any) -> Iterator[KnobLine]:
    for name, (knob, default) in knobs_of(made).items():
        allowed = ""
        if knob.options is not None:
            allowed = ", ".join(write_knob(option) for option in knob.options)
        elif isinstance(default, bool):
            allowed = "True, False"
        elif knob.low is not None or knob.high is not None:
            ends = ("" if end is None else f"{end:g}" for end in (knob.low, knob.high))
            allowed = " to ".join(ends).strip()
        yield KnobLine(name, write_knob(default), allowed, knob.help)
