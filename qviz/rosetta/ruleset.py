"""Rules: one mode with codes it is usually met with."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from qviz.dialects import Dialect
from qviz.quantizers.arithmetic import TIE_WORDS
from qviz.quantizers.base import QUANTIZERS, Mode, Target
from qviz.quantizers.steps import worked
from qviz.registry import Entry, Source
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Range

USUAL = (QuantSpec(8),)  # codes of a mode that registers no others
CHANNELS = Granularity("per_channel", 0)
NEUTRAL = "Neutral"
SHOWN = Range(-np.ones(1), np.ones(1))  # any range: how a rule computes does not depend on it
COUNTED = {
    "none": "",
    "before": ", zero point added before rounding",
    "once": ", zero point added before rounding, in one operation with the product",
    "after": ", zero point added after rounding",
    "lower end": ", counts from the lower end",
    "lower end, moved": ", counts from the lower end, whole steps taken off before rounding",
}
Native = QuantSpec | tuple[QuantSpec, dict[str, Any]]


@dataclass(frozen=True)
class Rule:
    """One mode with its codes; the mode's own registration says with which it is listed.

    ``name`` is the mode's spelling and codes and unique; ``title`` the words on screen;
    ``convention`` says in words how codes are counted and computed. ``granularity`` is per
    tensor, or per channel for what knows nothing else: one channel is then looked at.
    """

    name: str
    title: str
    dialect: str
    mode: Mode
    spec: QuantSpec
    granularity: Granularity
    convention: str
    source: Source

    @property
    def member(self) -> str:
        """The mode's name in the registry."""
        return QUANTIZERS.name_of(self.mode)

    @property
    def documented(self) -> bool:
        """Whether this is what a documentation says, beside a rule that was measured."""
        plain = self.member.removesuffix("@doc")
        return plain != self.member and plain in QUANTIZERS

    @property
    def kind(self) -> str:
        """``framework``, ``documentation``, ``channel`` or ``neutral``."""
        if self.dialect == NEUTRAL:
            return "neutral"
        if self.documented:
            return "documentation"
        return "framework" if self.granularity == PER_TENSOR else "channel"


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, by dialect and name.

    A mode is listed with the codes of its note ``native`` (``QuantSpec``, or a pair of it and
    knobs), else with 8-bit unsigned affine ones.
    """
    found = [rule for name in QUANTIZERS for rule in _rules_of(QUANTIZERS.entry(name))]
    return tuple(sorted(found, key=lambda rule: (rule.dialect == NEUTRAL, rule.member.lower())))


def rule_called(name: str) -> Rule | None:
    """The rule of that name, or None."""
    return next((rule for rule in rules() if rule.name == name), None)


def home(made: type) -> Dialect | None:
    """The dialect that a mode's class belongs to; None for neutral ones."""
    package = made.__module__.split(".")
    if package[1] != "dialects":
        return None
    return importlib.import_module(".".join(package[:3]) + ".dialect").DIALECT


def _rules_of(entry: Entry) -> Iterator[Rule]:
    natives: tuple[Native, ...] = entry.notes.get("native", USUAL)
    pairs = [given if isinstance(given, tuple) else (given, {}) for given in natives]
    several = len({spec for spec, _ in pairs}) > 1
    where = home(entry.made)
    for spec, knobs in pairs:
        mode = entry.made(**knobs)
        alone = mode.accepts(Target(spec, PER_TENSOR, mode)) is None
        codes = code_words(spec)
        title = QUANTIZERS.title_of(mode)
        yield Rule(
            f"{QUANTIZERS.spell(mode)} {codes}",
            f"{title} {_short(spec)}" if several else title,
            NEUTRAL if where is None else where.title,
            mode,
            spec,
            PER_TENSOR if alone else CHANNELS,
            _convention(mode, spec),
            entry.source,
        )


def code_words(spec: QuantSpec) -> str:
    """``uint8``, ``int8 sym.``, ``int8 sym. −127…127``."""
    kind = f"{'' if spec.signed else 'u'}int{spec.bits}"
    whole = QuantSpec(spec.bits, spec.signed).ends == spec.ends
    low, high = spec.ends
    ends = "" if whole or spec.narrow_range else f" {low} to {high}"
    return kind + " sym." * spec.symmetric + " narrow" * spec.narrow_range + ends


def _short(spec: QuantSpec) -> str:
    """Words of codes for a title: ``int8 ±127`` where the lowest one is left out."""
    return code_words(spec).replace("sym. narrow", f"±{spec.ends[1]}")


def _convention(mode: Mode, spec: QuantSpec) -> str:
    made = worked(mode, SHOWN, spec).quantizer
    if made is None or made.arithmetic is None:
        return ""
    how, (low, high) = made.arithmetic, made.ends
    quotient = {
        "division": "divides by the scale",
        "reciprocal": "multiplies by 1 / scale",
        "multiplier": "multiplies by codes / width",
    }[how.quotient]
    start = COUNTED[how.counting]
    return f"codes {low} to {high}; {quotient}, {how.dtype}{start}; {TIE_WORDS[how.tie]}"
