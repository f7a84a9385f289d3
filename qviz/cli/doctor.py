"""``doctor``: what is wrong with a tensor or a file of them, and what repairs it."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qviz import xp
from qviz.cli.diagnosis import as_json, as_text
from qviz.cli.inputs import opened
from qviz.cli.text import plain
from qviz.cli.within import Examining, examining
from qviz.doctor.base import LEVELS, Examined
from qviz.doctor.case import Case
from qviz.doctor.document import markdown
from qviz.doctor.examining import worst_first
from qviz.doctor.given import Bias, Given
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Observer
from qviz.observers.manual import ManualObserver
from qviz.sources.base import TensorInfo, TensorSource
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Role

NEGATIVE = re.compile(r"^-(\d|\.\d|inf|nan)")  # argparse itself knows no exponents
FLOATS, CODES = ("float", "bfloat"), ("int8", "uint8")
ALONE = ("NON-FINITE",)  # all that is asked of vectors among other tensors: they stay wide
FOUND = 1
NUMBERS = {  # options that take one number, and what they say
    "--bits": (int, "bits of a code, 1 to 16 (default: 8)"),
    "--scale": (float, "step that is used in place of the observer's"),
    "--zero-point": (int, "with --scale (default: 0)"),
    "--quant-min": (int, "smallest code, with --quant-max"),
    "--quant-max": (int, "largest code, with --quant-min"),
    "--axis": (int, "one range for each channel of this axis"),
    "--batch-axis": (int, "axis whose slices are batches (default: as the source says)"),
    "--input-scale": (float, "with --bias: step of the layer's input"),
}


def add(commands: Any) -> None:
    """Add the command."""
    words = "Find what is wrong with a tensor, or with all of a file, and what repairs it."
    made = commands.add_parser("doctor", help=words, description=words)
    made.add_argument("input", nargs="?", metavar="FILE[::TENSOR]", help="or sample:NAME")
    made.add_argument("--observer", metavar="NAME", help="default: minmax")
    made.add_argument("--mode", default="affine", metavar="NAME", help="default: affine")
    made.add_argument("--range", nargs=2, type=float, metavar=("LO", "HI"), help="range by hand")
    for name, (kind, said) in NUMBERS.items():
        made.add_argument(name, type=kind, metavar="N", help=said)
    made.add_argument("--signed", action="store_true", help="codes on both sides of 0")
    made.add_argument("--symmetric", action="store_true", help="0 lies in the middle of the codes")
    made.add_argument(
        "--inputs", metavar="FILE", help="of an ONNX model: run it, measure gains at its output"
    )
    made.add_argument("--bias", metavar="FILE", help="the layer's bias, of a weight")
    made.add_argument("--json", action="store_true", help="print findings as JSON")
    made.add_argument("--rules", action="store_true", help="print all rules as Markdown instead")
    made.add_argument("--fail-on", default="medium", metavar="LEVEL", help=", ".join(LEVELS))
    made._negative_number_matcher = NEGATIVE
    made.set_defaults(run=run, bits=8)


def run(options: argparse.Namespace) -> int:
    """Examine and print; 1 where a finding is as severe as ``--fail-on``, or more."""
    if options.rules:
        print(markdown(), end="")
        return 0
    if options.input is None:
        raise QvizError("There is nothing to examine.", "", "Give a file, or sample:NAME.")
    if options.fail_on not in LEVELS:
        raise QvizError(f"No level is {options.fail_on!r}.", "", f"Known: {', '.join(LEVELS)}.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return _run(options, examining(options.input, options.inputs, Path(folder)))


def _run(options: argparse.Namespace, on: Examining) -> int:
    source, infos = on.source, [on.source.info(name) for name in on.names]
    model = any(len(info.shape) > 1 and info.role == Role.WEIGHT for info in infos)
    made = map(on.examine, _cases(source, on.names, options))
    found = worst_first(_kept(one, source.info(one.name)) if model else one for one in made)
    if not found:
        raise QvizError(f"{source.title} holds no tensor to examine.", "All are integers.")
    print(as_json(found) if options.json else as_text(found))
    return FOUND if any(one.reaches(options.fail_on) for one in found) else 0


def _cases(
    source: TensorSource, names: tuple[str, ...], options: argparse.Namespace
) -> Iterator[Case]:
    """A case for each tensor; among several, those that hold floats or codes."""
    for name in names:
        info = source.info(name)
        if len(names) == 1 or info.dtype.startswith(FLOATS) or info.dtype in CODES:
            yield _case(source, info, options)


def _case(source: TensorSource, info: TensorInfo, options: argparse.Namespace) -> Case:
    axis = info.batch_axis if options.batch_axis is None else options.batch_axis
    x = source[info.name]
    given, codes = _given(options, info), None
    spec = _spec(options)
    if info.dtype in CODES:
        codes = xp.host(x)
        spec = QuantSpec(8, signed=info.dtype == "int8", symmetric=options.symmetric)
    made = Case.of(
        info.batched(x) if axis is None else x,
        spec,
        batch_axis=axis,
        observer=_observer(options),
        mode=options.mode,
        granularity=PER_TENSOR if options.axis is None else _along(info, options.axis),
        role=info.role,
        name=info.name,
    )
    if codes is not None:  # codes that are given are not quantized again
        return replace(made, stream=None, codes=codes, given=given)
    return replace(made, given=given, bias=_bias(options))


def _along(info: TensorInfo, axis: int) -> Granularity:
    fits = -len(info.shape) <= axis < len(info.shape)
    return Granularity("per_channel", axis) if fits else PER_TENSOR


def _spec(options: argparse.Namespace) -> QuantSpec:
    ends = options.quant_min, options.quant_max
    return QuantSpec(options.bits, options.signed, options.symmetric, False, *ends)


def _observer(options: argparse.Namespace) -> Observer:
    if options.range is None:
        return OBSERVERS.make(options.observer or "minmax")
    if options.observer is not None:
        raise QvizError("--range and --observer both choose a range.", "", "Drop one.")
    return ManualObserver(*options.range)


def _given(options: argparse.Namespace, info: TensorInfo) -> Given | None:
    if options.scale is not None:
        codes = options.quant_min is None and info.dtype in CODES
        ends = _ends(info.dtype) if codes else _spec(options).ends
        return Given.of(options.scale, options.zero_point or 0, ends)
    if options.zero_point is not None:
        raise QvizError("A zero point needs a scale.", "", "Give --scale too.")
    q = info.qparams
    if q is None or info.dtype not in CODES:
        return None
    return Given.of(q.scale.reshape(-1), q.zero_point.reshape(-1), q.ends or (0, 255))


def _ends(dtype: str) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _bias(options: argparse.Namespace) -> Bias | None:
    if (options.bias is None) != (options.input_scale is None):
        raise QvizError("--bias and --input-scale go together.", "", "Give both, or none.")
    if options.bias is None:
        return None
    source, names = opened(options.bias)
    if len(names) != 1:
        what = f"{plain(options.bias)} holds {len(names)} tensors."
        raise QvizError(what, "", "Name one: FILE::TENSOR.")
    values = xp.host(xp.working(xp.enter(source[names[0]]))).astype(np.float64).reshape(-1)
    return Bias(values, options.input_scale)


def _kept(one: Examined, info: TensorInfo) -> Examined:
    """Of a vector in a model only what matters where it is not quantized."""
    if len(info.shape) > 1 or info.role == Role.ACTIVATION:
        return one
    return replace(one, findings=tuple(f for f in one.findings if f.rule in ALONE))
