"""``drift``: what round trip after round trip does to values, mode by mode."""

from __future__ import annotations

import argparse
import json
from fnmatch import fnmatchcase
from typing import Any

from qviz.cli.shown import strict
from qviz.cli.text import number, plain, table
from qviz.errors import QvizError
from qviz.pipeline.drift import MOST_ROUNDS, Drift, drifts
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec

HEADS = ("mode", "step", "steps per trip", "a second trip moves", "mean error, 1 trip")


def add(commands: Any) -> None:
    """Add the command."""
    words = "Quantize and dequantize again and again: which mode drifts on a range?"
    made = commands.add_parser("drift", help=words, description=words)
    made.add_argument("--range", nargs=2, type=float, metavar=("LO", "HI"), required=True)
    made.add_argument("--rounds", type=int, default=MOST_ROUNDS, metavar="N", help="1 to 50")
    made.add_argument("--mode", default="*", metavar="GLOB", help="modes by name (default: all)")
    made.add_argument("--bits", type=int, default=8, metavar="N", help="1 to 16 (default: 8)")
    for name in ("signed", "symmetric", "narrow-range"):
        made.add_argument(f"--{name}", action="store_true")
    made.add_argument("--json", action="store_true", help="print rows as JSON")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    names = [name for name in QUANTIZERS if fnmatchcase(name, options.mode)]
    if not names:
        raise QvizError(f"No mode is called {options.mode!r}.", f"Known: {', '.join(QUANTIZERS)}.")
    codes = options.signed, options.symmetric, options.narrow_range
    spec = QuantSpec(options.bits, *codes)
    lo, hi = options.range
    found = drifts(names, lo, hi, spec, options.rounds)
    print(_json(found) if options.json else _text(found))
    return 0


def _json(found: dict[str, Drift | str]) -> str:
    rows = [{"mode": name} | _row(one) for name, one in found.items()]
    return json.dumps(rows, indent=1, allow_nan=False)


def _row(one: Drift | str) -> dict[str, Any]:
    if isinstance(one, str):
        return {"refused": one}
    numbers = {"step": one.step, "slope": one.slope, "moved": one.moved}
    return {
        **{name: strict(value) for name, value in numbers.items()},
        "drifts": one.drifts,
        "declared_idempotent": one.declared,
        "declared_holds": one.agrees,
        "mean_errors": [strict(value) for value in one.errors.tolist()],
    }


def _text(found: dict[str, Drift | str]) -> str:
    served = {name: one for name, one in found.items() if isinstance(one, Drift)}
    refused = {name: one for name, one in found.items() if isinstance(one, str)}
    parts = [f"{name}  refused: {plain(reason)}" for name, reason in refused.items()]
    if served:
        rounds = next(iter(served.values())).rounds
        heads = (*HEADS, f"{rounds} trips", "idempotent")
        parts.insert(0, table(heads, [_cells(name, one) for name, one in served.items()]))
    return "\n".join(parts)


def _cells(name: str, one: Drift) -> tuple[str, ...]:
    law = "declared" if one.declared else "no"
    return (
        name,
        number(one.step),
        number(round(one.slope, 3)),
        f"{100 * one.moved:.3g} %",
        number(float(one.errors[0])),
        number(float(one.errors[-1])),
        law if one.agrees else "declared, and broken here",
    )
