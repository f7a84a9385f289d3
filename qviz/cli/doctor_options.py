"""Options of ``doctor``: how they are declared, and what no tensor could mend in them."""

from __future__ import annotations

import argparse
import math
import re

from qviz.cli.text import plain
from qviz.doctor.base import LEVELS
from qviz.doctor.formats import STORED_AS
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Observer
from qviz.observers.manual import ManualObserver
from qviz.spec import QuantSpec, Role

NEGATIVE = re.compile(r"^-(\d|\.\d|inf|nan)")  # argparse itself knows no exponents
NUMBERS = {  # options that take one number, and what they say
    "--bits": (int, "bits of a code, 1 to 16 (default: 8)"),
    "--scale": (float, "step that is used in place of the observer's"),
    "--zero-point": (int, "with --scale (default: 0)"),
    "--quant-min": (int, "smallest code, with --quant-max"),
    "--quant-max": (int, "largest code, with --quant-min"),
    "--axis": (int, "one range for each channel of this axis"),
    "--batch-axis": (int, "axis whose slices are batches (default: as the source says)"),
    "--input-scale": (float, "with --bias: step of the layer's input"),
    "--operand-axis": (int, "with --operand: its axis that is added up (default: one that fits)"),
}
FILES = {  # what belongs to one tensor, each in a file of its own
    "--bias": "the layer's bias, of a weight",
    "--operand": "the other tensor of the product: gains count there, and 16-bit sums are tried",
    "--importance": "weights of the elements in a fit, as of an importance matrix",
    "--codes": "the codes that were stored for these values, with --scale unless they tell it",
}
RANGES = ("range", "observer", "scale")  # options of which each chooses the range
BITS = 8
ROLES = (Role.WEIGHT, Role.ACTIVATION, Role.BIAS)
AS_SAID = "(default: as the source says, else unknown; with --operand, a product's activation)"
SWITCHES = {
    "--signed": "codes on both sides of 0",
    "--symmetric": "0 lies in the middle of the codes",
    "--symmetric-only": "the target knows no zero points",
    "--json": "print findings as JSON",
    "--rules": "print all rules as Markdown instead",
}


def add_options(made: argparse.ArgumentParser) -> None:
    """Declare all options of ``doctor``."""
    made.add_argument("input", nargs="?", metavar="FILE[::TENSOR]", help="or sample:NAME")
    made.add_argument("--observer", metavar="NAME", help="default: minmax")
    made.add_argument("--mode", default="affine", metavar="NAME", help="default: affine")
    made.add_argument("--range", nargs=2, type=float, metavar=("LO", "HI"), help="range by hand")
    made.add_argument(
        "--inputs", metavar="FILE", help="of an ONNX model: run it, measure gains at its output"
    )
    made.add_argument("--stored-as", metavar="FORMAT", help=f"cast to {', '.join(STORED_AS)}")
    for name, (kind, said) in NUMBERS.items():
        made.add_argument(name, type=kind, metavar="N", help=said)
    for name, said in FILES.items():
        made.add_argument(name, metavar="FILE[::TENSOR]", help=said)
    for name, said in SWITCHES.items():
        made.add_argument(name, action="store_true", help=said)
    made.add_argument("--role", metavar="ROLE", help=f"what FILE is: {', '.join(ROLES)} {AS_SAID}")
    made.add_argument("--fail-on", default="medium", metavar="LEVEL", help=", ".join(LEVELS))
    made._negative_number_matcher = NEGATIVE


def check(options: argparse.Namespace) -> None:
    """Refuse what cannot be meant, whatever the tensor.

    Raises
    ------
    QvizError
        An unknown level, format or role, ends that are reversed or no numbers, or one option
        without the other that it needs.
    """
    if options.fail_on not in LEVELS:
        raise QvizError(f"No level is {options.fail_on!r}.", "", f"Known: {', '.join(LEVELS)}.")
    if options.stored_as is not None and options.stored_as not in STORED_AS:
        known = f"Known: {', '.join(STORED_AS)}."
        raise QvizError(f"No format is called {plain(options.stored_as)!r}.", "", known)
    if options.role is not None and options.role not in ROLES:
        known = f"Known: {', '.join(ROLES)}."
        raise QvizError(f"No role is called {plain(options.role)!r}.", "", known)
    _pairs(options)
    _numbers(options)


def _pairs(options: argparse.Namespace) -> None:
    if (options.bias is None) != (options.input_scale is None):
        raise QvizError("--bias and --input-scale go together.", "", "Give both, or none.")
    if options.zero_point is not None and options.scale is None:
        raise QvizError("A zero point needs a scale.", "", "Give --scale too.")
    if options.operand_axis is not None and options.operand is None:
        raise QvizError("--operand-axis needs --operand.", "", "Give both, or none.")
    first, *more = [name for name in RANGES if getattr(options, name) is not None] or [""]
    if more:
        raise QvizError(f"--{first} and --{more[0]} both choose a range.", "", "Drop one.")


def _numbers(options: argparse.Namespace) -> None:
    low, high = options.quant_min, options.quant_max
    if low is not None and high is not None and low > high:
        what = f"--quant-min {low} is above --quant-max {high}."
        raise QvizError(what, "", "Exchange them.")
    if low is not None and high is not None and options.bits is not None:
        _hold(options.bits, low, high)
    if options.scale is not None and math.isnan(options.scale):
        raise QvizError("--scale nan is no number.", "", "Give the step between two codes.")
    step = options.input_scale
    if step is not None and not (math.isfinite(step) and step > 0):
        what = f"--input-scale {step:g} is no step."
        raise QvizError(what, "A bias is counted in steps above 0.", "Give the input's scale.")
    if options.range is not None:
        _ends(*options.range)


def _hold(bits: int, low: int, high: int) -> None:
    count = high - low + 1
    if 0 < bits < 17 and count > 2**bits:  # other numbers of bits are refused as such
        what = f"--quant-min {low} to --quant-max {high} are {count:,} codes."
        raise QvizError(what, f"--bits {bits} has {2**bits:,}.", "Drop --bits, or use fewer codes.")


def _ends(lo: float, hi: float) -> None:
    if not (math.isfinite(lo) and math.isfinite(hi)):
        what = f"The range {lo:g} to {hi:g} is not finite."
        raise QvizError(what, "No codes cover it.", "Give --range two numbers.")
    if lo > hi:
        what = f"The lower end of the range, {lo:g}, is above the upper end, {hi:g}."
        raise QvizError(what, "", "Exchange them.")


def spec_of(options: argparse.Namespace) -> QuantSpec:
    """The codes that are asked for. Raises QvizError where they are fewer than two."""
    ends = options.quant_min, options.quant_max
    bits = BITS if options.bits is None else options.bits
    return QuantSpec(bits, options.signed, options.symmetric, False, *ends)


def observer_of(options: argparse.Namespace) -> Observer:
    """What chooses the range: a rule by name, or a range by hand."""
    if options.range is not None:
        return ManualObserver(*options.range)
    return OBSERVERS.make("minmax" if options.observer is None else options.observer)
