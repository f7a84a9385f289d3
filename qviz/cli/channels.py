"""``channels``: each channel of a tensor under a shared step and under its own."""

from __future__ import annotations

import argparse
import json
from math import prod
from typing import Any

import numpy as np

from qviz.cli.inputs import opened
from qviz.cli.shown import strict
from qviz.cli.text import NOTHING, label, number, table
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Observer
from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.channel_map import channel_map
from qviz.pipeline.granularities import Gain, gains, has_tokens, offered
from qviz.quantizers.base import Target
from qviz.sources.base import TensorInfo
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Role
from qviz.stats.stream import Stream
from qviz.xp import Array

HEADS = ("channel", "min", "max", "absmax", "shared dB", "own dB", "codes", "note")
ANALYSIS = (
    "An activation: one range per channel or group is for analysis, a product cannot undo it; "
    "per token, a moved factor or more bits can be deployed."
)
GAINS = ("granularity", "sqnr dB", "gain dB", "ranges", "bytes")


def add(commands: Any) -> None:
    """Add the command."""
    words = "Show each channel of a tensor under one shared step and under its own."
    made = commands.add_parser("channels", help=words, description=words)
    made.add_argument("input", metavar="FILE[::TENSOR]", help="or sample:NAME, see qviz samples")
    made.add_argument("--axis", type=int, default=0, metavar="K", help="axis of the channels")
    made.add_argument("--group", type=int, metavar="N", help="of one axis: groups of N neighbours")
    made.add_argument("--bits", type=int, default=8, metavar="N", help="1 to 16 (default: 8)")
    made.add_argument("--affine", action="store_true", help="unsigned affine codes, min to max")
    made.add_argument("--observer", metavar="NAME", help="default: absmax, or minmax if --affine")
    made.add_argument("--json", action="store_true", help="print as JSON")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and print, worst channel first."""
    source, (name, *others) = opened(options.input)
    if others:
        raise QvizError(
            f"{options.input} holds {len(others) + 1} tensors.",
            "Channels are shown of one.",
            f"Name it: {options.input}::{name}.",
        )
    info, target = source.info(name), _target(options)
    usual = "minmax" if options.affine else "absmax"
    observer = OBSERVERS.make(options.observer or usual)
    stream = Stream.of(_channels(source[name], info.shape, options.group))
    found = channel_map(stream, options.axis, observer, target)
    every = _gains(stream, observer, target, found, info)
    if options.json:
        print(json.dumps(_json(found, every), indent=1, allow_nan=False))
    else:
        print(_text(info, found, every))
    return 0


def _target(options: argparse.Namespace) -> Target:
    symmetric = not options.affine
    if symmetric and options.bits == 1:
        raise QvizError(
            "Symmetric codes of 1 bit have nothing above 0.", "", "Add --affine or more --bits."
        )
    return Target.of(QuantSpec(options.bits, signed=symmetric, symmetric=symmetric))


def _channels(x: Array, shape: tuple[int, ...], group: int | None) -> Array:
    """The tensor; one of a single axis as rows of ``group`` neighbours."""
    if not shape:
        raise QvizError("A single value has no channels.", "", "Name a tensor with axes.")
    if len(shape) > 1 and group is None:
        return x
    if len(shape) > 1:
        raise QvizError("--group is for tensors of one axis.", f"This has {len(shape)}.", "")
    size = prod(shape)
    if group is None:
        raise QvizError("One axis holds no channels.", "", "Name a size of groups: --group 32.")
    if group < 1 or size % group:
        raise QvizError(f"Groups of {group} do not divide {size} elements.", "Each is whole.")
    return x.reshape(-1, group)


def _gains(
    stream: Stream, observer: Observer, target: Target, found: ChannelMap, info: TensorInfo
) -> tuple[Gain, ...]:
    along = Granularity("per_channel", found.axis)
    known = {PER_TENSOR: found.shared, along: found.own}
    return gains(
        stream,
        observer,
        target,
        offered(found.axis, tokens=has_tokens(info.role, info.shape)),
        known,
    )


def _json(found: ChannelMap, every: tuple[Gain, ...]) -> dict[str, Any]:
    """Channels in the order of their index; what is not finite is null."""
    columns = {
        "min": found.facts.lo,
        "max": found.facts.hi,
        "absmax": _absmax(found),
        "sqnr_per_tensor": found.shared.sqnr,
        "sqnr_per_channel": found.own.sqnr,
        "codes_used": np.where(found.codes < 0, np.nan, found.codes),
    }
    marks = {
        "loud": found.loud,
        "all_zero": found.erased,
        "near_dead": found.near_dead,
        "dead": found.dead,
        "no_finite_value": found.empty,
        "exact": np.isposinf(found.shared.sqnr),
    }
    rows = []
    for at in range(found.channels):
        row = {"channel": at} | {name: strict(v[at]) for name, v in columns.items()}
        row["codes_used"] = None if row["codes_used"] is None else int(row["codes_used"])
        rows.append(row | {name: bool(which[at]) for name, which in marks.items()})
    return {"axis": found.axis, "channels": rows, "granularities": [_gain(g, every) for g in every]}


def _absmax(found: ChannelMap) -> np.ndarray:
    """Largest magnitude of each channel; NaN without a finite element."""
    return np.where(found.empty, np.nan, found.amax)


def _gain(gain: Gain, every: tuple[Gain, ...]) -> dict[str, Any]:
    named: dict[str, Any] = {"granularity": str(gain.granularity)}
    if gain.refused:
        return named | {"refused": gain.refused}
    numbers = {"sqnr": gain.sqnr, "gain": gain.over(every[0]), "worst": gain.worst}
    counts = {"ranges": gain.parameters, "bytes": gain.bytes, "share": gain.share}
    return named | {name: strict(value) for name, value in (numbers | counts).items()}


def _text(info: TensorInfo, found: ChannelMap, every: tuple[Gain, ...]) -> str:
    values = np.where(np.isnan(found.shared.sqnr), np.inf, found.shared.sqnr)
    notes, order = found.told.tolist(), np.argsort(values, kind="stable")
    columns = [v.tolist() for v in (found.facts.lo, found.facts.hi, _absmax(found))]
    shared, own = found.shared.sqnr.tolist(), found.own.sqnr.tolist()
    rows = [
        (
            *(str(at), *(number(column[at]) for column in columns)),
            *(_db(shared[at]), _db(own[at])),
            *(NOTHING if found.codes[at] < 0 else str(found.codes[at]), notes[at]),
        )
        for at in order.tolist()
    ]
    shape = " x ".join(map(str, info.shape))
    heading = f"{label(info.name)}  {info.dtype}  {shape}  axis {found.axis}"
    refused = [f"{g.granularity}  refused: {g.refused}" for g in every if g.refused]
    priced = [_priced(g, every) for g in every if not g.refused]
    role = [ANALYSIS] if info.role == Role.ACTIVATION else []
    return "\n".join([heading, table(HEADS, rows), "", table(GAINS, priced), *refused, *role])


def _priced(gain: Gain, every: tuple[Gain, ...]) -> tuple[str, ...]:
    over = number(gain.over(every[0]))
    return str(gain.granularity), _db(gain.sqnr), over, f"{gain.parameters}", f"{gain.bytes}"


def _db(value: float) -> str:
    return "exact" if np.isposinf(value) else number(value)
