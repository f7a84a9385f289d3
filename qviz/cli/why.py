"""``why``: why one element comes back as it does, and what every rule makes of it."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

import numpy as np

from qviz.cli.inputs import opened
from qviz.cli.options import COUNTS, SWITCHES, asked
from qviz.cli.shown import strict
from qviz.cli.text import NOTHING, label, number, table
from qviz.errors import QvizError
from qviz.observers.manual import ManualObserver
from qviz.observers.minmax import MinMaxObserver
from qviz.pipeline import gather, settle
from qviz.pipeline.element import Element, Why, explain
from qviz.pipeline.element_line import Line
from qviz.pipeline.element_rules import Answer
from qviz.pipeline.element_where import Whole
from qviz.pipeline.judging import ALWAYS
from qviz.quantizers.base import Target
from qviz.sources.base import TensorInfo
from qviz.spec import Granularity, QuantSpec
from qviz.stats.stream import Stream

WHOLE = ("--bits", "--quant-min", "--quant-max", "--axis", "--group", "--batch-axis")
ON_OFF = ("--signed", "--symmetric", "--narrow-range", "--reduce-range", "--per-token")
CODES = ("bits", "signed", "symmetric", "narrow_range", "reduce_range", "quant_min", "quant_max")
PER_RULE = ("rule", "goes", "zero point", "code", "result", "error", "clipped")
PER_WAY = ("quotient", "steps", "boundary", "ulps", "ties even", "ties away")


def add(commands: Any) -> None:
    """Add the command."""
    words = "Explain one element: bits, quotient, nearest boundary, and the answer of every rule."
    made = commands.add_parser("why", help=words, description=words)
    made.add_argument("input", metavar="FILE[::TENSOR]", help="or sample:NAME, see qviz samples")
    made.add_argument("--index", type=_whole, default=0, metavar="K", help="flat index, from 0")
    made.add_argument(
        "--range", type=_real, nargs=2, metavar=("LO", "HI"),
        help="clipping range (default: the extremes of the element's group)",
    )  # fmt: skip
    made.add_argument("--mode", default="affine", metavar="NAME", help="default: affine")
    for name in WHOLE:
        made.add_argument(name, type=_whole, metavar="N", help=COUNTS[name])
    for name in ON_OFF:
        made.add_argument(name, action="store_true", help=SWITCHES[name])
    made.add_argument("--json", action="store_true", help="print it all as JSON")
    made.set_defaults(bits=8, run=run, sort="sqnr", observers=None, channel_axis=None, exact=False)


def run(options: argparse.Namespace) -> int:
    """Explain and print."""
    source, names = opened(options.input)
    if len(names) != 1:
        known = ", ".join(map(label, names[:8]))
        raise QvizError(
            f"{len(names)} tensors are there.", "", f"Name one with ::NAME, of {known}."
        )
    info = source.info(names[0])
    why = _explained(source[info.name], info, options)
    print(json.dumps(_plain(why, info), indent=1, allow_nan=False) if options.json else
          "\n".join(_lines(why, info)))  # fmt: skip
    return 0


def _explained(x: Any, info: TensorInfo, options: argparse.Namespace) -> Why:
    wanted = asked(options)
    spec = QuantSpec(**{name: wanted[name] for name in CODES})
    target = Target.of(spec, Granularity.parse(wanted["granularity"]), options.mode)
    axis = info.batch_axis if options.batch_axis is None else options.batch_axis
    whole = Whole(x, target.granularity, axis)
    place = whole.place(options.index)
    tile = Stream.of([row.reshape(-1) for row in whole.group(place.group)]).tiles[0]
    observer = ManualObserver(*options.range) if options.range else MinMaxObserver()
    settled = settle(observer, gather(tile, ALWAYS), target)
    return explain(
        Element.of(whole.value(options.index), options.index),
        settled.range or settled.covered, target,
    )  # fmt: skip


def _lines(why: Why, info: TensorInfo) -> list[str]:
    bits, lo, hi = why.bits, float(why.range.lo[0]), float(why.range.hi[0])
    shape = " x ".join(map(str, info.shape)) or "single value"
    lines = [
        f"{label(info.name)}  {info.dtype}  {shape}  element {why.element.index}",
        f"x = {why.element.value:.9g}{_whole_number(why)}",
        f"{bits.kind} bits {bits.sign} {bits.exponent} {bits.mantissa}  {_said(why)}",
        f"range [{number(lo)}, {number(hi)}], codes {why.ends[0]} to {why.ends[1]}, "
        f"scale {number(why.scale)}",
    ]
    line = why.line
    if line is not None and line.nearest is not None:
        lines.append(_boundary(why, line))
    lines.append("")
    if why.ways:
        cells = [
            (w.name.replace("÷", "/").replace("×", "*"), f"{w.quotient:.9g}", f"{w.boundary:g}",
             number(w.ulps), str(w.even), str(w.away))
            for w in why.ways
        ]  # fmt: skip
        lines += [table(PER_WAY, cells), ""]
    else:
        lines += [f"No distance in ulps: {why.no_ways.replace('÷', '/')}.", ""]
    return [*lines, table(PER_RULE, [_row(a, a.rule == why.chosen.rule) for a in why.answers])]


def _whole_number(why: Why) -> str:
    whole = why.element.whole
    return "" if whole is None else f"  ({whole}, rounded to {why.element.x.dtype.name})"


def _boundary(why: Why, line: Line) -> str:
    """Where the value changes sides, and how far off it is; a tie is called one."""
    x = why.element.value
    if why.on_boundary:
        return f"boundary {x:.9g}: a tie, x is on it and this rule sends it {why.chosen.goes}"
    side = f"x is {line.floats:+,} {line.kind} values from it, {number(line.steps)} steps"
    ties = [name.replace("÷", "/").replace("×", "*") for name in why.tie]
    said = f"boundary {line.nearest:.9g}: {side}"
    return f"{said}; a tie by {' and by '.join(ties)}" if ties else said


def _said(why: Why) -> str:
    bits = why.bits
    if bits.case in ("nan", "infinite", "zero"):
        return bits.case
    return f"{bits.case}, 2^{bits.power} times {bits.significand:.8g}"


def _row(answer: Answer, chosen: bool) -> tuple[str, ...]:
    code = NOTHING if answer.code is None else str(answer.code)
    result = NOTHING if answer.result is None else f"{answer.result:.7g}"
    numbers = (number(answer.zero_point), code, result, number(answer.error))
    return (answer.rule + " *" * chosen, answer.goes, *numbers, answer.clipped or NOTHING)


def _plain(why: Why, info: TensorInfo) -> dict[str, Any]:
    """Everything as JSON; codes and zero points are counted from the lowest code."""
    found: dict[str, Any] = {"tensor": info.name, "index": why.element.index}
    found["value"] = strict(why.element.value)
    found |= {"lo": float(why.range.lo[0]), "hi": float(why.range.hi[0])}
    found |= {"quant_min": why.ends[0], "quant_max": why.ends[1], "scale": strict(why.scale)}
    found["tie"] = list(why.tie)
    for name in ("bits", "chosen", "line", "ways", "answers", "refused"):
        found[name] = _record(getattr(why, name))
    return found


def _record(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_record(part) for part in value]
    if hasattr(value, "__dataclass_fields__"):
        return {key: _record(part) for key, part in asdict(value).items()}
    if isinstance(value, dict):
        return {key: _record(part) for key, part in value.items()}
    return strict(value)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from error


def _real(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not np.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not finite")
    return value
