"""``list``: what a file holds, without reading its elements."""

from __future__ import annotations

import argparse
import json
from typing import Any

from qviz.cli.inputs import opened
from qviz.cli.text import NOTHING, label, table
from qviz.sources.base import TensorInfo, TensorSource
from qviz.sources.codes import Scaled

HEADS = ("tensor", "type", "shape", "role", "batches", "stored as", "about")
WORDS = 200  # characters of what is told of a tensor; it may quote names


def add(commands: Any) -> None:
    """Add the command."""
    words = "List the tensors of a file: names, types, shapes, roles, scales, and what is left out."
    made = commands.add_parser("list", help=words, description=words)
    made.add_argument("input", metavar="FILE[::TENSOR]", help="or sample:NAME, see qviz samples")
    made.add_argument("--json", action="store_true", help="print it as JSON")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print one line per tensor, then what the file holds that cannot be read."""
    source, names = opened(options.input)
    if options.json:
        print(json.dumps(_json(source, names), indent=1, allow_nan=False))
        return 0
    print(table(HEADS, [_line(source.info(name)) for name in names], left=len(HEADS)))
    for name, reason in source.skipped.items():
        print(f"{label(name)}  left out: {label(reason, WORDS)}")
    return 0


def _line(info: TensorInfo) -> tuple[str, ...]:
    shape = "x".join(map(str, info.shape)) or NOTHING
    stored = info.qparams.words if info.qparams else NOTHING
    return (
        *(label(info.name), info.dtype, shape, info.role, _batches(info)),
        *(stored, label(info.about, WORDS) if info.about else NOTHING),
    )


def _batches(info: TensorInfo) -> str:
    if info.splits:
        return f"{len(info.splits)} of axis 0"
    return NOTHING if info.batch_axis is None else f"axis {info.batch_axis}"


def _json(source: TensorSource, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "file": source.title,
        "tensors": [_record(source.info(name)) for name in names],
        "skipped": dict(source.skipped),
    }


def _record(info: TensorInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "dtype": info.dtype,
        "shape": list(info.shape),
        "role": info.role,
        "batch_axis": info.batch_axis,
        "batch_lengths": list(info.splits),
        "qparams": _qparams(info.qparams),
        "about": info.about,
    }


def _qparams(q: Scaled | None) -> dict[str, Any] | None:
    if q is None:
        return None
    return {
        "scale": q.scale.tolist(),
        "zero_point": q.zero_point.astype(int).tolist(),
        "axis": q.axis,
        "block": q.block,
        "quant_min": q.ends[0] if q.ends else None,
        "quant_max": q.ends[1] if q.ends else None,
    }
