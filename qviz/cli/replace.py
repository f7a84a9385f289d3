"""``replace``: what reaches a model's output when one of its tensors has another content."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from qviz.cli.capture import add_options, asked
from qviz.errors import QvizError
from qviz.models.feeds import batches
from qviz.models.limits import limit_this_process
from qviz.models.model import read_model
from qviz.sources.base import open_file


def add(commands: Any) -> None:
    """Add the command."""
    words = "Run an ONNX model with one tensor replaced; see what reaches its output."
    more = f"{words} Reads names of .npy files, a line each; prints a line of JSON for each."
    made = commands.add_parser("replace", help=words, description=more)
    add_options(made)
    made.add_argument("--tensor", required=True, metavar="NAME", help="the one to be replaced")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """First the model as it is, then a line for each file that is named on stdin."""
    path, feeds, limits = asked(options)
    limit_this_process(limits)
    from qviz.models.replacing import One  # loads the runtime

    model = read_model(path, options.shown)
    one = One(model, batches(model, feeds), options.tensor, limits)
    whole = one.model.outcome(one.model.reference)
    judged = {"samples": one.model.samples, "accuracy": whole.accuracy, "unjudged": one.unjudged}
    _tell({"output": one.model.output, **judged})
    for line in sys.stdin:
        _tell(asdict(one.outcome(_content(Path(line.rstrip("\n"))))))
    return 0


def _content(path: Path) -> np.ndarray:
    source = open_file(path)
    if len(source.names) != 1:
        raise QvizError(f"{source.title} holds {len(source.names)} tensors.", "", "Save one.")
    return np.asarray(source[source.names[0]])


def _tell(record: dict[str, Any]) -> None:
    print(json.dumps(record, allow_nan=False), flush=True)
