"""``layers``: the tensors of a model, the one that loses most first."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from qviz.cli.capture import add_options, asked, path_of
from qviz.cli.inputs import opened
from qviz.cli.text import NOTHING, label, number, table
from qviz.models.jobs import capture_model
from qviz.models.layers import LayerRow, holding_nan, layer_rows, recurring, worst_first
from qviz.models.scheme import EXAMPLE, Scheme, Schemes
from qviz.sources.base import TensorSource
from qviz.sources.file import File
from qviz.sources.onnx.loader import OnnxLoader

STORED = "weights only: the model was not run; give --inputs, --axis or --batches"
WORDS = 200  # characters of what is told of a tensor; it may quote names
HEADS = (
    *("tensor", "op", "role", "type", "shape", "min", "max", "kurtosis"),
    *("loudest/median", "sqnr", "codes", "loudest channel"),
)


def add(commands: Any) -> None:
    """Add the command."""
    words = "The tensors of a model, capture or checkpoint, the one that loses most first."
    more = (
        f"{words} An ONNX model is run where --inputs, --axis or --batches are given; else only "
        "what it stores is listed. loudest/median compares the largest magnitude of the loudest "
        "channel to that of the median one, channels of nothing but zeros left out."
    )
    made = commands.add_parser("layers", help=words, description=more)
    add_options(made)
    add_schemes(made)
    made.add_argument("--json", action="store_true", help="print rows as JSON")
    made.set_defaults(run=run)


def add_schemes(made: argparse.ArgumentParser) -> None:
    """Declare the two schemes."""
    usual = Schemes.usual()
    for name, scheme in (("--weights", usual.weights), ("--activations", usual.activations)):
        words = f'like "{EXAMPLE}" (default: {scheme})'
        made.add_argument(name, default=str(scheme), metavar="SCHEME", help=words)


def schemes_of(options: argparse.Namespace) -> Schemes:
    """The schemes that the options spell."""
    return Schemes(Scheme.parse(options.weights), Scheme.parse(options.activations))


def run(options: argparse.Namespace) -> int:
    """Print the table; activations are there where the model runs."""
    schemes = schemes_of(options)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source = _source(options, Path(folder))
        rows = layer_rows(source, schemes)
    shown = worst_first(rows)
    if options.json:
        print(json.dumps([row.json() for row in shown], indent=1, allow_nan=False))
        return 0
    print(table(HEADS, [_line(row) for row in shown], left=5))
    if found := holding_nan(rows):
        kind = "activations" if found[0].role == "activation" else "tensors"
        print(f"NaN in {len(found)} {kind}; the first is {label(found[0].name)}")
    for row in shown:
        if row.sqnr is None and not row.lossless:
            print(f"{label(row.name)}  {label(row.note, WORDS)}")
    for channel, names in recurring(rows):
        print(f"channel {channel} is loud in {', '.join(map(label, names))}")
    for name, reason in source.skipped.items():
        print(f"{label(name)}  left out: {label(reason, WORDS)}")
    return 0


def _source(options: argparse.Namespace, folder: Path) -> TensorSource:
    if options.inputs is None and not options.axis and options.batches is None:
        source = opened(options.model)[0]
        if _is_model(path_of(options.model)):
            print(f"qviz: {STORED}", file=sys.stderr)
        return source
    _, feeds, limits = asked(options)
    return capture_model(path_of(options.model), feeds, folder, limits, options.shown)


def _is_model(path: Path) -> bool:
    return path.is_file() and OnnxLoader().matches(File(path, path.name))


def _line(row: LayerRow) -> tuple[str, ...]:
    shape = "x".join(map(str, row.shape)) or NOTHING
    loudest = NOTHING if row.worst_channel is None else str(row.worst_channel)
    codes = NOTHING if row.codes_used is None else f"{row.codes_used} of {row.levels}"
    sqnr = "exact" if row.lossless else number(row.sqnr, not row.exact)
    return (
        *(label(row.name), label(row.op) if row.op else NOTHING, row.role, row.dtype, shape),
        *(number(row.min), number(row.max), number(row.kurtosis), number(row.channel_ratio)),
        *(sqnr, codes, loudest),
    )
