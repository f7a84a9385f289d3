"""``alone``: what each tensor of a model costs at its output when only this one is quantized."""

from __future__ import annotations

import argparse
import json
from typing import Any

from qviz.cli.capture import add_options, asked, tell
from qviz.cli.layers import add_schemes, schemes_of
from qviz.cli.text import NOTHING, number, plain, table
from qviz.models.alone import Outcome, Sensitivity, ranked
from qviz.models.feeds import batches
from qviz.models.limits import limit_this_process
from qviz.models.model import read_model

HEADS = ("tensor", "op", "role", "alone dB", "right", "up to here", "all but this")


def add(commands: Any) -> None:
    """Add the command."""
    words = "Quantize one tensor of an ONNX model at a time; see what reaches its output."
    made = commands.add_parser("alone", help=words, description=words)
    add_options(made)
    add_schemes(made)
    made.add_argument("--json", action="store_true", help="print it as JSON")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run it under limits; the costliest tensor first, in JSON in network order."""
    path, feeds, limits = asked(options)
    schemes = schemes_of(options)
    limit_this_process(limits)
    from qviz.models.trials import Trials  # loads the runtime

    model = read_model(path, options.shown)
    found = Trials(model, batches(model, feeds), schemes, limits).sensitivity(tell)
    print(json.dumps(found.json(), allow_nan=False) if options.json else _table(found))
    return 0


def _table(found: Sensitivity) -> str:
    lines = [
        (
            *(plain(row.name), plain(row.op) or NOTHING, row.role),
            *(_decibels(row.alone), _share(row.alone), _share(row.upto), _share(row.but)),
        )
        for row in ranked(found.rows)
    ]
    whole = "" if found.accuracy is None else f", {found.accuracy:.2%} right in float"
    heading = f"{plain(found.output)}: {found.samples} samples{whole}"
    notes = [
        f"{plain(row.name)}  not quantized: {plain(row.note)}" for row in found.rows if row.note
    ]
    return "\n".join([heading, table(HEADS, lines, left=3), *notes])


def _decibels(outcome: Outcome) -> str:
    return "exact" if outcome.lossless else number(outcome.sqnr)


def _share(outcome: Outcome | None) -> str:
    if outcome is None or outcome.accuracy is None:
        return NOTHING
    return f"{outcome.accuracy:.2%}"
