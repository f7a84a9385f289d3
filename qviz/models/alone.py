"""One tensor at a time: what reaches a model's output when only this one is quantized."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from qviz.models.feeds import Feeds, batches
from qviz.models.jobs import PRINTED, Job, launch
from qviz.models.limits import Limits
from qviz.models.model import read_model
from qviz.models.scheme import Schemes


@dataclass(frozen=True)
class Outcome:
    """A model's output against that of the float model.

    ``sqnr`` in dB, None where nothing is lost (``lossless``) or there is no number; ``accuracy``
    the share of samples whose largest output is their label, None without labels.
    """

    sqnr: float | None = None
    accuracy: float | None = None
    lossless: bool = False


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

    def with_upto(self, outcome: Outcome) -> Alone:
        """The same with what all up to it come to."""
        return replace(self, upto=outcome)

    def with_but(self, outcome: Outcome | None) -> Alone:
        """The same with what all but it come to."""
        return replace(self, but=outcome)


@dataclass(frozen=True)
class Sensitivity:
    """Tensors in network order; ``accuracy`` and ``samples`` are those of the float model."""

    rows: tuple[Alone, ...]
    accuracy: float | None
    samples: int
    output: str

    def json(self) -> dict[str, Any]:
        """As plain values; ``read`` gives it back."""
        return asdict(self)

    @staticmethod
    def read(said: Mapping[str, Any]) -> Sensitivity:
        """The record that ``json`` wrote."""
        return Sensitivity(
            tuple(_alone(row) for row in said["rows"]),
            said["accuracy"], said["samples"], said["output"],
        )  # fmt: skip


def _alone(said: Mapping[str, Any]) -> Alone:
    outcomes = {k: None if said[k] is None else Outcome(**said[k]) for k in ("upto", "but")}
    return Alone(**{**said, "alone": Outcome(**said["alone"]), **outcomes})


def ranked(rows: Iterable[Alone]) -> list[Alone]:
    """What costs most when quantized alone first: by accuracy where it is known, then by SQNR."""
    return sorted(rows, key=_rank)


def _rank(row: Alone) -> tuple[bool, float, float]:
    one = row.alone
    late = float("inf") if one.sqnr is None else one.sqnr
    return bool(row.note), 1.0 if one.accuracy is None else one.accuracy, late


def start(
    model: Path,
    feeds: Feeds,
    schemes: Schemes,
    folder: Path,
    limits: Limits | None = None,
    shown: str = "",
) -> Job[Sensitivity]:
    """Start the trials in a child; see ``qviz.models.jobs``.

    Raises
    ------
    QvizError
        The model or its inputs are refused before anything runs.
    """
    limits, shown = limits or Limits(), shown or model.name
    batches(read_model(model, shown), feeds)
    words = ["--weights", str(schemes.weights), "--activations", str(schemes.activations)]
    words += ["--shown", shown, *feeds.words(), *limits.words(), "--", str(model)]

    def finished() -> Sensitivity:
        return Sensitivity.read(json.loads((folder / PRINTED).read_text(encoding="utf-8")))

    return launch(["alone", "--json", *words], folder, limits, finished)
