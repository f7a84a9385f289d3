"""Jobs of the benchmark, and what each reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from qviz.errors import QvizError
from qviz.registry import Registry, Source

JOBS = Registry("job", "qviz.bench")
SOURCE = Source("qviz", "benchmark", "1")


@dataclass(frozen=True)
class Setup:
    """What is measured on: ``n`` elements of a distribution, threads and rounds."""

    n: int = 10**7
    dtype: str = "float32"
    dist: str = "laplace"
    threads: int = 1
    rounds: int = 7
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("n", "threads", "rounds"):
            if getattr(self, name) < 1:
                raise QvizError(f"{name} is {getattr(self, name)}.", "", "Use 1 or more.")


@dataclass(frozen=True)
class Verdict:
    """Whether something holds, and the figures behind it."""

    name: str
    holds: bool
    words: str


@dataclass(frozen=True, eq=False)
class Report:
    """What a job found.

    ``rows`` are its table; ``verdicts`` say whether results agree, and one that does not hold
    fails the job; ``goals`` say what the figures come to and fail nothing; ``notes`` name what
    was left out. ``void`` says that the machine was too uneven for the times to mean anything.
    """

    rows: tuple[Mapping[str, Any], ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    goals: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    void: bool = False
    read_ms: tuple[float, ...] = field(default=())

    @property
    def failed(self) -> bool:
        """Whether a result differs from what it is compared with."""
        return not all(verdict.holds for verdict in self.verdicts)


Job = Callable[[Setup], Report]
