"""Which modes can be shown side by side, straight from the registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from qviz.dialects import Dialect
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.registry import Registry, knobs_of
from qviz.report import catalogue
from qviz.spec import Range

DEFAULT = 6  # modes shown unless others are chosen
PROBE = Range(np.full(1, -1.0), np.full(1, 2.0))  # to see what a mode's gradient is made of
homes = lru_cache(maxsize=1)(catalogue.homes)


@lru_cache(maxsize=1)
def offered() -> Mapping[str, str]:
    """Spelling -> title of every mode, and of each with one option or switch turned."""
    found = {}
    for name in QUANTIZERS:
        kind = QUANTIZERS[name]
        made = [kind()]
        for key, (knob, value) in knobs_of(kind).items():
            others = (not value,) if isinstance(value, bool) else knob.options or ()
            made += [kind(**{key: other}) for other in others if other != value]
        found |= {QUANTIZERS.spell(mode): str(QUANTIZERS.title_of(mode)) for mode in made}
    return found


def refusal(mode: Mode, target: Target) -> str | None:
    """Why the mode cannot serve these codes, or None."""
    return mode.accepts(Target(target.spec, target.granularity, mode))


@lru_cache(maxsize=64)
def usual(target: Target) -> tuple[str, ...]:
    """Spellings of up to six modes that serve: the chosen one, then those that differ most.

    A mode with parameters of its own comes before one with only a mask of its own, that before
    the rest; another framework, and another kind of quantizer, before one that is there already.
    """
    first = QUANTIZERS.spell(target.mode)
    probes = {s: _probe(s, target) for s in QUANTIZERS}
    serving = {s: quantizer for s, quantizer in probes.items() if quantizer is not None}
    chosen = [first] if refusal(target.mode, target) is None else []
    order = list(homes())
    while serving and len(chosen) < DEFAULT:
        there = [home_of(s).key for s in chosen]
        kinds = [type(probes.get(s)) for s in chosen]

        def rank(spelling: str, there: list[str] = there, kinds: list[type] = kinds) -> tuple:
            quantizer, key = serving[spelling], home_of(spelling).key
            own = tier(quantizer)
            repeats = there.count(key) + (type(quantizer) in kinds)
            return repeats - own, -own, order.index(key), _document(spelling)

        best = min(serving, key=rank)
        del serving[best]
        if best not in chosen:
            chosen.append(best)
    return tuple(chosen)


def tier(quantizer: Quantizer) -> int:
    """2 with parameters of its own to learn, 1 with a gradient of its own, else 0."""
    if type(quantizer).backward is Quantizer.backward:
        return 0
    row = PROBE.lo[:, None].astype("float32")
    return 2 if quantizer.backward(row, row * 0 + 1).parameters else 1


def home_of(spelling: str, registry: Registry = QUANTIZERS) -> Dialect:
    """The framework whose rule it is."""
    made = registry[spelling.partition(":")[0]]
    _, part, key, *_ = (*made.__module__.split("."), "", "")
    known = homes()
    return known[key] if part == "dialects" else known[next(iter(known))]


def configurations(spellings: Sequence[str], registry: Registry = QUANTIZERS) -> dict[str, str]:
    """Title -> configuration of each framework, in the catalogue's order."""
    there = {home_of(spelling, registry).key for spelling in spellings}
    return {home.title: home.configuration for key, home in homes().items() if key in there}


def _document(spelling: str) -> int:
    """Place of the mode's source among those of its framework."""
    source, documents = QUANTIZERS.entry(spelling).source, home_of(spelling).documents
    return documents.index(source) if source in documents else len(documents)


def _probe(spelling: str, target: Target) -> Quantizer | None:
    mode = QUANTIZERS[spelling]()
    if refusal(mode, target) is not None:
        return None
    try:
        return mode.quantizer(PROBE, target.spec)
    except QvizError:
        return None
