"""``alone``: what each tensor of a model costs at its output when only this one is quantized."""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from qviz.cli.capture import add_options, asked
from qviz.cli.capture import tell as tell_of
from qviz.cli.layers import WORDS, add_schemes, schemes_of
from qviz.cli.text import NOTHING, label, number, table
from qviz.errors import QvizError
from qviz.models.alone import Alone, Outcome, Sensitivity, ranked
from qviz.models.feeds import batches
from qviz.models.limits import limit_this_process, reached
from qviz.models.model import read_model

tell = partial(tell_of, of="step")
NAMED = 4  # tensors that a line names
HEADS = ("tensor", "op", "role", "alone dB", "right", "up to here", "all but this")
LINES = (
    "print JSON lines meanwhile: all tensors, then each that was tried, anew where more is known"
)


def add(commands: Any) -> None:
    """Add the command."""
    words = "Quantize one tensor of an ONNX model at a time; see what reaches its output."
    made = commands.add_parser("alone", help=words, description=words)
    add_options(made)
    add_schemes(made)
    made.add_argument("--json", action="store_true", help="print it as JSON")
    made.add_argument("--lines", action="store_true", help=LINES)
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run it under limits; the costliest tensor first, in JSON in network order.

    Where the time runs out, or it is interrupted, what was found so far is printed.
    """
    path, feeds, limits = asked(options)
    schemes = schemes_of(options)
    shown = _Shown(options, limits.seconds)
    limit_this_process(limits, shown.ended)
    from qviz.models.trials import Trials  # loads the runtime

    model = read_model(path, options.shown)
    trials = Trials(model, batches(model, feeds), schemes, limits)
    shown.begin(trials.begun)
    try:
        shown.finish(trials.sensitivity(_tell, shown.take))
    except KeyboardInterrupt:
        shown.finish(shown.so_far(QvizError("It was interrupted.")))
        raise
    return 0


class _Shown:
    """What is printed of the trials: all at their end, or a line for each."""

    def __init__(self, options: argparse.Namespace, seconds: float) -> None:
        self._lines, self._json, self._seconds = options.lines, options.json, seconds
        self._begun: Sensitivity | None = None
        self._rows: dict[str, Alone] = {}
        self._printing = threading.Lock()

    def begin(self, begun: Sensitivity) -> None:
        """Take what is known before the first."""
        self._begun = begun
        self._line(begun.json())

    def take(self, row: Alone) -> None:
        """Take one that was tried."""
        self._rows[row.name] = row
        self._line(asdict(row))

    def so_far(self, error: QvizError) -> Sensitivity | None:
        """What there is when it ends before all were tried."""
        found = self._begun and self._begun.with_rows(list(self._rows.values()))
        return found.ended(error, self._seconds) if found and found.tried else None

    def ended(self, error: QvizError) -> None:
        """Print what there is when the time is over."""
        self.finish(self.so_far(error))

    def finish(self, found: Sensitivity | None) -> None:
        """Print it, unless lines have told it already; once."""
        if found is None or self._lines or not self._printing.acquire(blocking=False):
            return
        print(json.dumps(found.json(), allow_nan=False) if self._json else _table(found))

    def _line(self, said: dict[str, Any]) -> None:
        if self._lines:
            print(json.dumps(said, allow_nan=False), flush=True)


def _tell(done: int, count: int) -> None:
    tell(done, count)
    reached(done, count)


def _table(found: Sensitivity) -> str:
    lines = [
        (
            *(label(row.name), label(row.op) if row.op else NOTHING, row.role),
            *(_decibels(row.alone), _share(row.alone), _share(row.upto), _share(row.but)),
        )
        for row in ranked(found.rows, found.samples)
        if row.reached
    ]
    whole = "" if found.accuracy is None else f", {found.accuracy:.2%} right in float"
    heading = f"{label(found.output)}: {found.samples} samples{whole}"
    notes = [
        f"{label(row.name)}  not quantized: {label(row.note, WORDS)}"
        for row in found.rows
        if row.note and row.reached
    ]
    notes += [f"{names}  no number: {why}" for why, names in _without_number(found)]
    notes += [found.unjudged] if found.unjudged else []
    left = len(found.rows) - found.tried
    notes += [f"{left} of {len(found.rows)} tensors were not reached: {found.why}"] if left else []
    return "\n".join([heading, table(HEADS, lines, left=3), *notes])


def _without_number(found: Sensitivity) -> Iterator[tuple[str, str]]:
    """Why there is no SQNR, and which tensors are meant."""
    rows = [row for row in found.rows if row.alone.note]
    for why in dict.fromkeys(row.alone.note for row in rows):
        names = [label(row.name) for row in rows if row.alone.note == why]
        yield why, ", ".join(names) if len(names) <= NAMED else f"{len(names)} tensors"


def _decibels(outcome: Outcome) -> str:
    return "exact" if outcome.lossless else number(outcome.sqnr)


def _share(outcome: Outcome | None) -> str:
    if outcome is None or outcome.accuracy is None:
        return NOTHING
    return f"{outcome.accuracy:.2%}"
