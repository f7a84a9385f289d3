"""What the doctor finds: a rule's finding, what repairs it, and the registry of rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from qviz.errors import QvizError
from qviz.models.alone import Outcome
from qviz.registry import Registry, Source

Rule = Callable[..., "Finding | None"]
RULES = Registry("rule", "qviz.doctor.rules")
NOTE, LOW, MEDIUM, HIGH = LEVELS = ("note", "low", "medium", "high")
OUTPUT, QUIET, TENSOR = "output", "quiet channels", "tensor"
OTHERS = "other values"
VOIDING = (  # causes, in the order to mend them: no data, no step, codes that lie off the data
    *("NON-FINITE", "LEARNED-SCALE-DIVERGED", "UNCALIBRATED", "SYMMETRIC-WITH-OFFSET"),
    *("NUDGE-MOVED-WINDOW", "ZP-AT-EDGE", "SATURATED-CODES"),
)
VOIDS = 1000.0  # dB, more than any gain
FROM = {LOW: 0.5, MEDIUM: 3.0, HIGH: 12.0}  # dB of gain from which a finding is that severe


@dataclass(frozen=True, eq=False)
class Fix:
    """One way out, tried: ``gain_db`` is what it gained where ``measured_at`` says.

    ``measured_at`` is ``output`` (the model's, or the product with the other operand), ``quiet
    channels`` (those that pay for a step that others set), ``other values`` (those that are no
    masks) or ``tensor``; a rule may name a place of its own. ``how`` spells the
    settings that change: observer, mode, granularity, transform, and fields of the codes; empty
    where no setting does it. ``accuracy`` is the share that the model then has right, where it
    was run on samples with labels.
    """

    action: str
    gain_db: float
    how: Mapping[str, Any] = field(default_factory=dict)
    measured_at: str = TENSOR
    accuracy: float | None = None


@dataclass(frozen=True, eq=False)
class Finding:
    """What one rule found, in one sentence, and what repairs it, best first.

    ``evidence`` holds plain numbers, texts and lists of both. ``tried`` are ways that were
    computed and gain nothing, ``analysis`` ways that gain and cannot be deployed. ``expected`` says
    that this is how the rule is meant to work.
    ``rule`` and ``source`` are filled in by ``examine``.
    """

    severity: str
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    fixes: tuple[Fix, ...] = ()
    tried: tuple[Fix, ...] = ()
    expected: bool = False
    analysis: tuple[Fix, ...] = ()
    rule: str = ""
    source: str = ""

    @property
    def gain(self) -> float:
        """The first fix's gain in dB; 0 where there is none."""
        return self.fixes[0].gain_db if self.fixes else 0.0

    @property
    def rank(self) -> tuple[int, bool, float, str]:
        """Sorts worst first, and of one level what voids the numbers of all others.

        No gain says anything while values are no data, or most of them are off the grid: a rule
        that finds this counts as if mending it gained more than anything else does.
        """
        gain = self.gain
        if self.rule in VOIDING:
            gain = VOIDS - VOIDING.index(self.rule)
        return -LEVELS.index(self.severity), self.expected, -gain, self.rule


@dataclass(frozen=True, eq=False)
class Examined:
    """All findings of a case, worst first; ``skipped`` rules with the reason in words.

    ``looked`` is the number of rules that were asked, ``now`` what reaches the model's output under
    the present setting, None where nothing was found or no model ran.
    """

    name: str
    findings: tuple[Finding, ...]
    skipped: Mapping[str, str]
    looked: int
    now: Outcome | None = None

    @property
    def worst(self) -> str:
        """The highest severity; empty where nothing was found."""
        return self.findings[0].severity if self.findings else ""

    @property
    def faulty(self) -> bool:
        """Whether something was found that is not as expected."""
        return any(not finding.expected for finding in self.findings)

    def reaches(self, level: str) -> bool:
        """Whether a finding is as severe as ``level``, or more.

        Raises
        ------
        QvizError
            There is no such level.
        """
        if level not in LEVELS:
            raise QvizError(f"No level is called {level!r}.", "", f"Known: {', '.join(LEVELS)}.")
        return bool(self.findings) and LEVELS.index(self.worst) >= LEVELS.index(level)


def severity(gain: float) -> str:
    """How severe it is to leave ``gain`` dB where they are."""
    reached = [level for level, least in FROM.items() if gain >= least]
    return reached[-1] if reached else NOTE


def milder(a: str, b: str) -> str:
    """The less severe of two levels."""
    return min(a, b, key=LEVELS.index)


def rule(
    name: str, *, title: str, fires: str, rated: str, reports: tuple[str, ...] = ()
) -> Callable[[Rule], Rule]:
    """Register a rule: a function of a case that gives a finding, or None.

    ``fires`` says when, with its numbers; ``rated`` where the severity comes from; ``reports``
    are public reports of the symptom. A QvizError means that the rule cannot look here.
    """
    where = "; ".join(reports) or "own"
    source = Source("Public reports", where, "1")
    return RULES.register(
        name, title=title, source=source, fires=fires, rated=rated, reports=reports
    )
