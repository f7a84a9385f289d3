"""``compare``: ranges and metrics of observers on the tensors of a file."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import Any

from qviz import api
from qviz.cli import shown
from qviz.cli.inputs import opened
from qviz.cli.options import add_options, asked
from qviz.cli.results import Result, result, worst_first
from qviz.cli.text import label, plain
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.observers.selection import select
from qviz.pipeline.records import Record
from qviz.sources.base import TensorSource
from qviz.sources.limits import caveats


def add(commands: Any) -> None:
    """Add the command."""
    words = "Compare observers on one tensor, or on all tensors of a file, the worst first."
    made = commands.add_parser("compare", help=words, description=words)
    add_options(made)
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare, rank and print."""
    wanted = asked(options) | {"observers": select(options.observers)}
    source, names = opened(options.input)
    if len(names) == 1:
        one = _compared(source, names[0], options, wanted)
        print(shown.rows([one]) if options.json else shown.single(one))
        return 0
    ranked = tuple(n for n in names if not source.info(n).parameter) or names
    results = worst_first(_all(source, ranked, options, wanted))
    print(shown.rows(results) if options.json else shown.many(results))
    aside = len(names) - len(ranked)
    if aside:  # JSON has no place for it
        print(_aside(aside), file=sys.stderr if options.json else sys.stdout)
    if not options.json:
        for name, reason in source.skipped.items():
            print(f"{label(name)}  left out: {plain(reason)}")
    return 0


def _aside(count: int) -> str:
    """That parameters of codes are no tensors to rank."""
    them = "1 scale or zero point is" if count == 1 else f"{count} scales and zero points are"
    return f"{them} not ranked; name one as FILE::TENSOR to compare it."


def _compared(
    source: TensorSource, name: str, options: argparse.Namespace, wanted: dict[str, Any]
) -> Result:
    info = source.info(name)
    axis = info.batch_axis if options.batch_axis is None else options.batch_axis
    x = info.batched(source[name]) if axis is None else source[name]
    made = api.compare(x, batch_axis=axis, **wanted)
    notes = caveats(info.dtype, float(made.record.facts.amax.max(initial=0.0)))
    return replace(result(info, made, options.sort, groups=options.json), notes=tuple(notes))


def _fitting(source: TensorSource, name: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """What is asked, without an axis of channels where a tensor among others has none such."""
    axis, rank = wanted["channel_axis"], len(source.info(name).shape)
    return wanted if axis is None or -rank <= axis < rank else wanted | {"channel_axis": None}


def _all(
    source: TensorSource,
    names: tuple[str, ...],
    options: argparse.Namespace,
    wanted: dict[str, Any],
) -> list[Result]:
    """All tensors; one that cannot be compared says why. Raises where none can."""
    results, refusals = [], []
    for name in names:
        try:
            results.append(_compared(source, name, options, _fitting(source, name, wanted)))
        except QvizError as error:
            refusals.append(error)
            spellings = [OBSERVERS.spell(observer) for observer in wanted["observers"]]
            records = tuple(Record(text, refused=error.coded) for text in spellings)
            empty = tuple(() for _ in records)
            results.append(Result(source.info(name), records, empty, options.sort))
    if len(refusals) == len(names):
        raise refusals[0]
    return results
