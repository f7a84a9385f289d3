"""One tensor at a time: what reaches a model's output when only this one is quantized."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from qviz.errors import QvizError
from qviz.models.feeds import Feeds, batches
from qviz.models.jobs import PRINTED, Job, launch
from qviz.models.limits import MORE_TIME, Limits
from qviz.models.model import read_model
from qviz.models.scheme import Schemes
from qviz.models.shares import tiers

PENDING = "not reached"


@dataclass(frozen=True)
class Outcome:
    """A model's output against that of the float model.

    ``sqnr`` in dB, None where nothing is lost (``lossless``) or ``note`` says why there is no
    number; ``accuracy`` the share of samples whose largest output is their label, None without.
    """

    sqnr: float | None = None
    accuracy: float | None = None
    lossless: bool = False
    note: str = ""


@dataclass(frozen=True)
class Alone:
    """One tensor: quantized alone, with all before it (``upto``), and spared (``but``).

    ``upto`` and ``but`` are None where the network has too many tensors for it; ``note`` says why
    the tensor cannot be quantized.
    """

    name: str
    role: str
    op: str
    alone: Outcome
    upto: Outcome | None = None
    but: Outcome | None = None
    note: str = ""

    @staticmethod
    def pending(name: str, role: str, op: str) -> Alone:
        """One that was not tried yet."""
        return Alone(name, role, op, Outcome(), note=PENDING)

    @property
    def reached(self) -> bool:
        """Whether it was tried."""
        return not self.note.startswith(PENDING)

    def with_upto(self, outcome: Outcome) -> Alone:
        """The same with what all up to it come to."""
        return replace(self, upto=outcome)

    def with_but(self, outcome: Outcome | None) -> Alone:
        """The same with what all but it come to."""
        return replace(self, but=outcome)


@dataclass(frozen=True)
class Sensitivity:
    """Tensors in network order; ``accuracy`` and ``samples`` are those of the float model.

    ``why`` says what ended the trials before all tensors were tried, ``unjudged`` why there is no
    accuracy although labels were given; else they are empty.
    """

    rows: tuple[Alone, ...]
    accuracy: float | None
    samples: int
    output: str
    why: str = ""
    unjudged: str = ""

    @property
    def tried(self) -> int:
        """Number of the tensors that were reached."""
        return sum(row.reached for row in self.rows)

    def with_rows(self, rows: Iterable[Alone]) -> Sensitivity:
        """The same with these in place of those of the same name."""
        new = {row.name: row for row in rows}
        return replace(self, rows=tuple(new.get(row.name, row) for row in self.rows))

    def ended(self, error: QvizError, seconds: float) -> Sensitivity:
        """The same, ended before all were tried; what is left has a note that says when."""
        when = f"in {seconds:g} s" if error.do == MORE_TIME else "before it ended"
        left = (replace(r, note=f"{PENDING} {when}") for r in self.rows if not r.reached)
        return replace(self.with_rows(left), why=f"{error.what} {error.why}".strip())

    def json(self) -> dict[str, Any]:
        """As plain values; ``read`` gives it back."""
        return asdict(self)

    @staticmethod
    def read(said: Mapping[str, Any]) -> Sensitivity:
        """The record that ``json`` wrote."""
        return Sensitivity(
            tuple(_alone(row) for row in said["rows"]),
            *(said[name] for name in ("accuracy", "samples", "output", "why", "unjudged")),
        )

    @staticmethod
    def gathered(lines: Iterable[str]) -> Sensitivity | None:
        """The record of a first line, and of a line for each row; a torn line ends it."""
        found: Sensitivity | None = None
        rows: dict[str, Alone] = {}
        for line in lines:
            if not line.endswith("\n"):
                break
            said = json.loads(line)
            if found is None:
                found = Sensitivity.read(said)
            else:
                rows[said["name"]] = _alone(said)
        return found and found.with_rows(rows.values())


def _alone(said: Mapping[str, Any]) -> Alone:
    outcomes = {k: None if said[k] is None else Outcome(**said[k]) for k in ("upto", "but")}
    return Alone(**{**said, "alone": Outcome(**said["alone"]), **outcomes})


def ranked(rows: Iterable[Alone], samples: int = 0) -> list[Alone]:
    """What costs most when quantized alone first: by accuracy where it is known, then by SQNR.

    Accuracies that so few ``samples`` cannot tell apart count as one; see ``tiers``. What changes
    the output by more than a number can say comes before every number.
    """
    found = list(rows)
    accuracies = [1.0 if r.alone.accuracy is None else r.alone.accuracy for r in found]
    judged = zip(found, tiers(accuracies, samples), strict=True)
    return [row for row, _ in sorted(judged, key=_rank)]


def _rank(judged: tuple[Alone, int]) -> tuple[bool, int, float]:
    row, tier = judged
    unknown = math.inf if row.alone.lossless or not row.alone.note else -math.inf
    return bool(row.note), tier, unknown if row.alone.sqnr is None else row.alone.sqnr


def start(
    model: Path,
    feeds: Feeds,
    schemes: Schemes,
    folder: Path,
    limits: Limits | None = None,
    shown: str = "",
) -> Job[Sensitivity]:
    """Start the trials in a child; see ``qviz.models.jobs``.

    Where it is stopped after some trials these are its result, with ``why``.

    Raises
    ------
    QvizError
        The model or its inputs are refused before anything runs.
    """
    limits, shown = limits or Limits(), shown or model.name
    batches(read_model(model, shown), feeds)
    words = ["--weights", str(schemes.weights), "--activations", str(schemes.activations)]
    words += ["--shown", shown, *feeds.words(), *limits.words(), "--", str(model)]

    def there() -> Sensitivity | None:
        with (folder / PRINTED).open(encoding="utf-8", newline="\n") as lines:
            return Sensitivity.gathered(lines)

    def finished() -> Sensitivity:
        found = there()
        if found is None:
            raise QvizError("What was found cannot be read.", "It was replaced meanwhile.")
        return found

    def kept(error: QvizError) -> Sensitivity | None:
        found = there()
        return found.ended(error, limits.seconds) if found is not None and found.tried else None

    return launch(["alone", "--lines", *words], folder, limits, finished, kept)
