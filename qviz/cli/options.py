"""Options of a comparison, and what they ask for."""

from __future__ import annotations

import argparse
from typing import Any

from qviz.errors import QvizError
from qviz.metrics.base import METRICS

COUNTS = {  # whole-number options and what they say
    "--bits": "bits of a code, 1 to 16 (default: 8)",
    "--quant-min": "smallest code, with --quant-max",
    "--quant-max": "largest code, with --quant-min",
    "--axis": "one range for each channel of this axis",
    "--group": "one range for each group of so many elements along --axis (default: the last)",
    "--batch-axis": "axis whose slices are batches (default: as the source says)",
    "--channel-axis": "axis of the channels, for worst_channel",
}
SWITCHES = {
    "--signed": "codes on both sides of 0",
    "--symmetric": "0 lies in the middle of the codes",
    "--narrow-range": "drop the lowest code",
    "--reduce-range": "halve both ends of the codes",
    "--per-token": "one range for each slice along the last axis",
    "--exact": "judge value by value, whatever the size",
    "--json": "print rows as JSON",
}
SPEC = (
    *("bits", "signed", "symmetric", "narrow_range", "reduce_range", "quant_min", "quant_max"),
    *("mode", "channel_axis", "exact", "observers"),
)


def add_options(made: argparse.ArgumentParser) -> None:
    """Declare all options of ``compare``."""
    made.add_argument("input", metavar="FILE[::TENSOR]", help="or sample:NAME, see qviz samples")
    made.add_argument(
        "--observers", metavar="LIST", help="minmax,percentile:keep=99.95,torch.*,all"
    )
    made.add_argument("--mode", default="affine", metavar="NAME", help="default: affine")
    made.add_argument("--sort", default="sqnr", metavar="METRIC", help="default: sqnr")
    for name, words in COUNTS.items():
        made.add_argument(name, type=_whole, metavar="N", help=words)
    for name, words in SWITCHES.items():
        made.add_argument(name, action="store_true", help=words)
    made.set_defaults(bits=8)


def asked(options: argparse.Namespace) -> dict[str, Any]:
    """Arguments of ``qviz.compare``, but for the tensor and its batch axis.

    Raises
    ------
    QvizError
        An unknown metric to sort by, or --per-token beside --axis or --group.
    """
    METRICS.entry(options.sort)
    return {name: getattr(options, name) for name in SPEC} | {"granularity": _granularity(options)}


def _granularity(options: argparse.Namespace) -> str:
    if options.per_token:
        if options.axis is not None or options.group is not None:
            raise QvizError("--per-token goes with neither --axis nor --group.", "", "Drop one.")
        return "per_token"
    if options.group is not None:
        return f"per_group:{-1 if options.axis is None else options.axis}:{options.group}"
    return "per_tensor" if options.axis is None else f"per_channel:{options.axis}"


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from error
