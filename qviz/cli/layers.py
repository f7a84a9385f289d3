"""``layers``: the tensors of a model, the one that loses most first."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from qviz.cli.capture import add_options, asked, path_of
from qviz.cli.inputs import opened
from qviz.cli.text import NOTHING, number, plain, table
from qviz.models.jobs import capture_model
from qviz.models.layers import LayerRow, layer_rows, recurring, worst_first
from qviz.models.scheme import EXAMPLE, Scheme, Schemes
from qviz.sources.base import TensorSource

HEADS = (
    *("tensor", "op", "role", "type", "shape", "min", "max", "kurtosis"),
    *("loudest/median", "sqnr", "codes", "loudest channel"),
)


def add(commands: Any) -> None:
    """Add the command."""
    words = "The tensors of a model, capture or checkpoint, the one that loses most first."
    made = commands.add_parser("layers", help=words, description=words)
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
    """Print the table. Activations are there where the model runs: with --inputs or --axis."""
    schemes = schemes_of(options)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        rows = layer_rows(_source(options, Path(folder)), schemes)
    shown = worst_first(rows)
    if options.json:
        print(json.dumps([row.json() for row in shown], indent=1, allow_nan=False))
        return 0
    print(table(HEADS, [_line(row) for row in shown], left=5))
    for row in shown:
        if row.sqnr is None and not row.lossless:
            print(f"{plain(row.name)}  {plain(row.note)}")
    for channel, names in recurring(rows):
        print(f"channel {channel} is loud in {', '.join(map(plain, names))}")
    return 0


def _source(options: argparse.Namespace, folder: Path) -> TensorSource:
    if options.inputs is None and not options.axis and options.batches is None:
        return opened(options.model)[0]
    _, feeds, limits = asked(options)
    return capture_model(path_of(options.model), feeds, folder, limits, options.shown)


def _line(row: LayerRow) -> tuple[str, ...]:
    shape = "x".join(map(str, row.shape)) or NOTHING
    loudest = NOTHING if row.worst_channel is None else str(row.worst_channel)
    codes = NOTHING if row.codes_used is None else f"{row.codes_used} of {row.levels}"
    sqnr = "exact" if row.lossless else number(row.sqnr, not row.exact)
    return (
        *(plain(row.name), plain(row.op or "") or NOTHING, row.role, row.dtype, shape),
        *(number(row.min), number(row.max), number(row.kurtosis), number(row.channel_ratio)),
        *(sqnr, codes, loudest),
    )
