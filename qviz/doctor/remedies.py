"""Ways out that were tried, and how their gains are told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.doctor.base import FROM, LOW, Finding, Fix, severity
from qviz.metrics.base import decibels

MOST = 200.0  # dB that stand for a perfect return
WORTH = 0.05  # dB from which a gain is one


@dataclass(frozen=True, eq=False)
class Remedies:
    """Ways out that were tried: those that gain, best first, and those that do not."""

    fixes: tuple[Fix, ...] = ()
    tried: tuple[Fix, ...] = ()

    @property
    def gain(self) -> float:
        """The gain of the first in dB; 0 where nothing but more bits gains: they always do."""
        return next((fix.gain_db for fix in self.fixes if "bits" not in fix.how), 0.0)

    @property
    def severity(self) -> str:
        """How severe it is to leave it at that."""
        return severity(self.gain)

    def beside(self, others: tuple[Fix, ...]) -> Remedies:
        """These without what gains under 0.5 dB, where one of ``others`` gains more."""
        if all(fix.gain_db < FROM[LOW] for fix in others):
            return self
        little = tuple(fix for fix in self.fixes if fix.gain_db < FROM[LOW])
        fixes = tuple(fix for fix in self.fixes if fix.gain_db >= FROM[LOW])
        return Remedies(fixes, (*little, *self.tried))

    def finding(self, message: str, evidence: Mapping[str, Any]) -> Finding:
        """A finding that is as severe as what these ways gain."""
        return Finding(self.severity, message, evidence, self.fixes, self.tried)


def ranked(made: Iterable[Fix]) -> Remedies:
    """Fixes that gain, best first, more bits last; the others were tried.

    What gains under 0.5 dB is offered only where nothing gains more.
    """
    best = sorted(made, key=lambda fix: ("bits" in fix.how, -fix.gain_db))
    enough = FROM[LOW] if any(fix.gain_db >= FROM[LOW] for fix in best) else WORTH
    fixes = tuple(fix for fix in best if fix.gain_db >= enough)
    return Remedies(fixes, tuple(fix for fix in best if fix.gain_db < enough))


def capped(sqnr: float) -> float:
    """At most 200 dB: gains are numbers also where nothing is lost."""
    return min(sqnr, MOST)


def sqnr(signal: Any, noise: Any) -> float:
    """10 log10(signal / noise) of two sums of squares, at most 200 dB; NaN without signal."""
    return capped(float(decibels(np.asarray(signal), np.asarray(noise))))
