"""What documentations say beside what was measured: pairs of members, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.observers.base import OBSERVERS
from qviz.pipeline import gather
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.quantizers.steps import RANGES, SCALES, ZEROS
from qviz.registry import Registry
from qviz.rosetta.answers import Answer, answer
from qviz.rosetta.divergence import Divergence, divergence
from qviz.rosetta.elements import Element, element_of
from qviz.rosetta.probe import inside, probe
from qviz.rosetta.ruleset import Rule, rules
from qviz.spec import QuantSpec, Range
from qviz.stats.stream import Stream

DOC = "@doc"
EXAMPLES = ((-1.0, 1.0), (-0.5, 2.5), (1.0, 3.0), (-6.0, 6.0), (2.0, 2.0), (0.0, 0.0))
BATCHES = 0.1 * np.arange(1, 33, dtype=np.float32).reshape(8, 4) % 1.7


@dataclass(frozen=True, eq=False)
class Contrast:
    """A documented rule and its counterpart on a range on which they differ.

    ``here`` says whether that is the range asked for; ``elements`` are one value under both,
    None where no value tells them apart. ``found`` compares their steps.
    """

    documented: Answer
    measured: Answer
    found: Divergence
    here: bool
    elements: tuple[Element, Element] | None

    @property
    def differs(self) -> bool:
        """Whether anything comes out otherwise: a value, a scale, a zero point or no number."""
        qparams = self.found.first in (*RANGES, *SCALES, *ZEROS)
        return qparams or self.elements is not None or self.found.noticed


@dataclass(frozen=True, eq=False)
class Watched:
    """A documented observer and its counterpart after the same few batches."""

    documented: str
    measured: str
    ranges: tuple[Range, Range]


def counterpart(registry: Registry, name: str) -> str | None:
    """The member that a documented one is to be compared with.

    The same name without ``@doc``, else another reading of it: the first after ``@``.
    """
    stem = name.removesuffix(DOC)
    if stem == name:
        return None
    others = [other for other in registry if other.startswith(stem + "@") and other != name]
    return stem if stem in registry else next(reversed(others), None)


def rule_pairs() -> tuple[tuple[Rule, Rule], ...]:
    """Documented rules, each with the rule of its counterpart of the most similar codes."""
    found = []
    for rule in rules():
        other = counterpart(QUANTIZERS, rule.member)
        same = [r for r in rules() if r.member == other]
        if same:
            found.append((rule, min(same, key=lambda r: _unlike(r.spec, rule.spec))))
    return tuple(found)


def _unlike(a: QuantSpec, b: QuantSpec) -> int:
    return (a.symmetric != b.symmetric) + (a.levels != b.levels)


def contrast(pair: tuple[Rule, Rule], lo: float, hi: float) -> Contrast:
    """Where a documented rule parts from its counterpart: on [lo, hi], else on an example."""
    for ends in ((lo, hi), *EXAMPLES):
        made = _contrast(pair, *ends, here=ends == (lo, hi))
        if made.differs:
            return made
    return _contrast(pair, lo, hi, here=True)


def _contrast(pair: tuple[Rule, Rule], lo: float, hi: float, *, here: bool) -> Contrast:
    a, b = (answer(rule, lo, hi) for rule in pair)
    x = inside(probe((a, b)), lo, hi)
    return Contrast(a, b, divergence(a, b, x), here, _telling(a, b, x))


def _telling(a: Answer, b: Answer, x: np.ndarray) -> tuple[Element, Element] | None:
    """The value that the two bring back farthest apart, under both."""
    if a.quantizer is None or b.quantizer is None or not x.size:
        return None
    with np.errstate(all="ignore"):
        one, other = (np.asarray(m.quantizer.fake_quantize(x[None]), np.float64)[0]
                      for m in (a, b) if m.quantizer is not None)  # fmt: skip
        apart = np.abs(np.float32(one) - np.float32(other))
    if not (apart > 0).any():
        return None
    value = float(x[int(apart.argmax())])
    return element_of(a, value), element_of(b, value)


def observer_pairs() -> tuple[Watched, ...]:
    """Documented observers beside their counterparts, after eight batches of four values."""
    names: Sequence[str] = [n for n in OBSERVERS if counterpart(OBSERVERS, n) is not None]
    return tuple(
        Watched(name, other, (_watched(name), _watched(other)))
        for name in names
        if (other := counterpart(OBSERVERS, name)) is not None
    )


def _watched(name: str) -> Range:
    observer, stream = OBSERVERS.make(name), Stream.of(BATCHES, batch_axis=0)
    chosen = observer.range(gather(stream.tiles[0], observer.needs), Target.of())
    return chosen if isinstance(chosen, Range) else Range(np.full(1, np.nan), np.full(1, np.nan))
