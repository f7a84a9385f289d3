"""``rosetta``: one range or tensor under every rule, and where two rules part."""

from __future__ import annotations

import argparse
import json
import math
import re
from typing import Any

import numpy as np

from qviz.cli.inputs import opened
from qviz.cli.text import plain, table
from qviz.errors import QvizError
from qviz.figures.rosetta_parting import sentence
from qviz.figures.rosetta_words import at_most, headline, hidden, letter, notice, share
from qviz.rosetta.answers import answers
from qviz.rosetta.comparison import MOST, Comparison, Row, compared, thinned
from qviz.rosetta.divergence import divergence
from qviz.rosetta.extent import extent, in_order, row_of
from qviz.rosetta.probe import inside, probe
from qviz.rosetta.ruleset import Rule, rules

HEADS = ("", "rule", "scale", "as hex", "before rounding", "zero point", "covers")
MORE = ("codes differ", "values differ", "at most")
NEGATIVE = re.compile(r"^-(\d|\.\d|inf|nan)")  # argparse itself knows no exponents
KINDS = ("framework", "documentation", "channel", "neutral")


def add(commands: Any) -> None:
    """Add the command."""
    words = "Set every framework's rule beside the others on one range, bit for bit."
    made = commands.add_parser("rosetta", help=words, description=words)
    made.add_argument("input", nargs="?", metavar="FILE[::TENSOR]", help="or sample:NAME")
    made.add_argument(
        "--range", nargs=2, type=float, metavar=("LO", "HI"), help="default: the tensor's own ends"
    )
    made.add_argument("--kinds", default="framework", metavar="LIST", help=", ".join(KINDS))
    made.add_argument("--reference", default="", metavar="RULE", help="compare with this rule")
    made.add_argument("--json", action="store_true", help="print rows as JSON")
    made._negative_number_matcher = NEGATIVE
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare and print."""
    given = answers(_chosen(options.kinds), *_range(options))
    x, exact = _elements(options)
    typed = x is None
    if x is None:
        lo, hi = given[0].requested
        x = inside(probe(given), lo, hi)
    found = compared(given, x, _named(options.reference, given), exact=exact)
    print(_json(found, x) if options.json else _text(found, x, typed=typed))
    return 0


def _chosen(kinds: str) -> tuple[Rule, ...]:
    wanted = kinds.split(",") if kinds != "all" else list(KINDS)
    unknown = [kind for kind in wanted if kind not in KINDS]
    if unknown:
        raise QvizError(f"No kind of rules is {unknown[0]!r}.", f"Known: {', '.join(KINDS)}, all.")
    return tuple(rule for rule in rules() if rule.kind in wanted)


def _named(name: str, given: Any) -> str:
    known = {answer.rule.name for answer in given} | {""}
    if name not in known:
        raise QvizError(f"No rule here is {name!r}.", "", f"Known: {', '.join(sorted(known)[1:])}.")
    return name


def _range(options: argparse.Namespace) -> tuple[float, float]:
    if options.range is not None:
        return in_order(options.range[0], options.range[1])
    if options.input is None:
        raise QvizError("There is no range.", "", "Give a tensor, or --range LO HI.")
    return extent(_row(options.input))


def _elements(options: argparse.Namespace) -> tuple[np.ndarray | None, bool]:
    if options.input is None:
        return None, True
    row = _row(options.input)
    return thinned(row), row.size <= MOST


def _row(word: str) -> np.ndarray:
    source, names = opened(word)
    if len(names) != 1:
        what, do = f"{plain(word)} holds {len(names)} tensors.", "Choose one: FILE::TENSOR."
        raise QvizError(what, "Rules are compared on one of them.", do)
    return row_of(source[names[0]])


def _counted_on(found: Comparison, *, typed: bool) -> str:
    """What shares are shares of."""
    count = f"{found.elements:,}"
    if typed:
        return f"{count} values next to where some rule changes its code, not on data"
    return f"all {count} finite elements" if found.exact else f"{count} evenly spaced elements"


def _text(found: Comparison, x: np.ndarray, *, typed: bool) -> str:
    rows = [_cells(row) for row in found.rows]
    said = [headline(found), table((*HEADS, *MORE), rows, left=2)]
    said.append(f"Counted on {_counted_on(found, typed=typed)}. Zero points are stored codes.")
    said += [words] if (words := hidden(found)) else []
    for group in found.groups[1:]:
        said.append(_parted(found, group[0], x))
    return "\n".join(plain_lines(said))


def plain_lines(texts: list[str]) -> list[str]:
    """Each line of each text, safe for a terminal."""
    return [line.rstrip() for text in texts for line in text.split("\n")]


def _parted(found: Comparison, row: Row, x: np.ndarray) -> str:
    a, b = found.reference.answer, row.answer
    return f"{letter(row.group)}: {sentence(a, b, divergence(a, b, x))} {notice(row)}".rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    given = row.answer
    scale, zero = given.scale, given.zero_point
    raw = given.raw_zero_point
    span = "-" if given.covered is None else "[{:.7g}, {:.7g}]".format(*given.covered)
    return (
        letter(row.group),
        given.rule.title,
        given.degenerate or "-" if scale is None else f"{scale:.9g}",
        "-" if scale is None else float(scale).hex(),
        "-" if raw is None else f"{raw:.9g}",
        "-" if zero is None else f"{zero:g}",
        given.degenerate or span,
        share(row.codes_differ),
        share(row.values_differ),
        at_most(row.at_most) or "-",
    )


def _json(found: Comparison, x: np.ndarray) -> str:
    rows = [_record(found, row, x) for row in found.rows]
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False)


def _record(found: Comparison, row: Row, x: np.ndarray) -> dict[str, Any]:
    given, first = row.answer, found.reference.answer
    parted = divergence(first, given, x)
    return {
        "rule": given.rule.name,
        "title": given.rule.title,
        "source": str(given.rule.source),
        "convention": given.rule.convention,
        "group": letter(row.group),
        "requested": _finite(given.requested),
        "adjusted": _finite(given.adjusted),
        "scale": _finite(given.scale),
        "scale_hex": None if given.scale is None else float(given.scale).hex(),
        "scale_dtype": given.scale_dtype,
        "raw_zero_point": _finite(given.raw_zero_point),
        "zero_point": _finite(given.zero_point),
        "covered": _finite(given.covered),
        "codes": given.ends,
        "degenerate": given.degenerate or None,
        "refused": given.refused,
        "codes_differ": row.codes_differ,
        "values_differ": row.values_differ,
        "at_most_steps": row.at_most,
        "first_difference": parted.first,
        "steps_named": parted.named,
        "sentence": sentence(first, given, parted),
        "steps": [
            {"name": s.name, "values": _finite(s.values), "dtype": s.dtype, "note": s.note}
            for s in given.steps
        ],
    }


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: such numbers become words. None is what there is not."""
    if isinstance(value, tuple):
        return [_finite(part) for part in value]
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
