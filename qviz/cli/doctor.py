"""``doctor``: what is wrong with a tensor or a file of them, and what repairs it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from qviz import xp
from qviz.cli.diagnosis import Told, as_json, as_text, asides
from qviz.cli.doctor_known import CODES, for_one, known
from qviz.cli.doctor_options import add_options, check, observer_of, spec_of
from qviz.cli.text import plain
from qviz.cli.within import Examining, examining, latest
from qviz.doctor.base import RULES, Examined
from qviz.doctor.case import Case
from qviz.doctor.document import markdown
from qviz.doctor.examining import OF_VECTORS, examined, rank, stays_wide
from qviz.errors import QvizError
from qviz.models.facts import graph_axis
from qviz.models.readahead import ahead, groups
from qviz.pipeline.judging import refusal
from qviz.sources.base import TensorInfo, TensorSource
from qviz.spec import Granularity, QuantSpec, Role
from qviz.stats.stream import Stream

FLOATS = ("float", "bfloat")
REFUSES = "TARGET-SYMMETRIC-ONLY"  # the finding that tells of a mode that cannot serve
FOUND = 1


def add(commands: Any) -> None:
    """Add the command."""
    words = "Find what is wrong with a tensor, or with all of a file, and what repairs it."
    made = commands.add_parser("doctor", help=words, description=words)
    add_options(made)
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Examine and print; 1 where a finding is as severe as ``--fail-on``, or more."""
    if options.rules:
        print(markdown(), end="")
        return 0
    if options.input is None:
        raise QvizError("There is nothing to examine.", "", "Give a file, or sample:NAME.")
    check(options)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return _run(options, examining(options.input, options.inputs, Path(folder)))


def _run(options: argparse.Namespace, on: Examining) -> int:
    infos = [_as_asked(info, options) for info in _examined(on.source, on.names)]
    if not infos:
        raise QvizError(f"{on.source.title} holds no tensor to examine.", "All are integers.")
    for_one(options, len(infos))
    told = sorted(_all_told(options, on, infos), key=lambda one: rank(one.found))
    print(as_json(told) if options.json else as_text(told))
    for line in asides(told) if options.json else ():  # JSON has no place for them
        print(line, file=sys.stderr)
    return FOUND if any(one.found.reaches(options.fail_on) for one in told) else 0


def _examined(source: TensorSource, names: tuple[str, ...]) -> Iterator[TensorInfo]:
    """The tensors to examine; among several, those that hold floats or codes."""
    for name in names:
        info = source.info(name)
        if len(names) == 1 or info.dtype.startswith(FLOATS) or info.dtype in CODES:
            yield info


def _as_asked(info: TensorInfo, options: argparse.Namespace) -> TensorInfo:
    """The tensor in the role that was given, if any."""
    return info if options.role is None else replace(info, role=options.role)


def _all_told(
    options: argparse.Namespace, on: Examining, infos: Sequence[TensorInfo]
) -> list[Told]:
    """All tensors; where a model runs, those with more than expected once more, worst first.

    The worst ones get their gains at the output before its time is over.
    """
    model = any(len(info.shape) > 1 and info.role == Role.WEIGHT for info in infos)
    asked = [_Asked(on, info, options, model, len(infos) == 1) for info in infos]
    made = _told_first(on.source, asked)
    _all_refused([one for one in made if not one.alone])
    if not on.runs:
        return made
    end, faulty = latest(), [at for at, one in enumerate(made) if one.found.faulty]
    for at in sorted(faulty, key=lambda at: rank(made[at].found)):
        look = partial(on.again, found=made[at].found, end=end)
        made[at] = asked[at].told(look)
    return made


def _told_first(source: TensorSource, asked: Sequence[_Asked]) -> list[Told]:
    """All without a model's gains; what a capture did not keep comes from one run for many."""
    made, left = list[Told](), iter(asked)
    for group in groups([source], [(one.info.name,) for one in asked]):
        ahead([source], group)
        made += [next(left).told(examined) for _ in group]
    return made


@dataclass(frozen=True)
class _Asked:
    """One tensor among those of a file; its case is made when it is looked at."""

    on: Examining
    info: TensorInfo
    options: argparse.Namespace
    model: bool
    single: bool

    def told(self, look: Callable[..., Examined]) -> Told:
        """What ``look`` finds; a vector in a model stays wide, and is looked at as such."""
        info, options = self.info, self.options
        alone = self.model and not self.single and stays_wide(info.shape, info.role)
        case, axis = _case(self.on.source, info, options), ""
        if options.axis is not None and case.stream is not None and not alone:
            case, axis = _along(case, case.stream, options.axis, self.single)
        case = known(case, info, options)
        found = look(case, rules=OF_VECTORS if alone else tuple(RULES))
        refused, explained = ("", True) if alone else _refused(case, found)
        return Told(found, alone, refused, explained, axis)


def _case(source: TensorSource, info: TensorInfo, options: argparse.Namespace) -> Case:
    """The values, or the codes, and the setting; nothing else that is known of them."""
    axis = info.batch_axis if options.batch_axis is None else options.batch_axis
    x, codes = source[info.name], info.dtype in CODES
    if options.operand is not None and axis is None and len(info.shape) == 1:
        x = xp.enter(x).reshape(1, -1)  # a vector is one row of a product
    signed = info.dtype == "int8"
    made = Case.of(
        info.batched(x) if axis is None else x,
        QuantSpec(8, signed, options.symmetric) if codes else spec_of(options),
        batch_axis=axis,
        observer=observer_of(options),
        mode=options.mode,
        role=info.role,
        name=info.name,
        axis=graph_axis(source, info.name) if axis is None else None,
    )
    # codes that are given are not quantized again
    return replace(made, stream=None, codes=xp.host(x)) if codes else made


def _along(case: Case, stream: Stream, axis: int, single: bool) -> tuple[Case, str]:
    """The case with a range for each channel; one of several tensors may lack the axis."""
    along = Granularity("per_channel", axis)
    try:
        along.groups(tuple(stream.batches[0].shape))
    except QvizError as error:
        if single:
            raise
        return case, f"{error.what} It has one range."
    return replace(case, target=replace(case.target, granularity=along)), ""


def _refused(case: Case, found: Examined) -> tuple[str, bool]:
    """Why the setting cannot serve this tensor, if so, and whether a finding says it too."""
    if case.stream is None or not case.stream.size:
        return "", True
    try:
        why = case.row.refused or ""
    except QvizError as error:
        why = str(error)
    if refusal(case.used, case.target) is None:
        return why, bool(found.findings)  # the data is to blame
    return why, any(finding.rule == REFUSES for finding in found.findings)


def _all_refused(told: Sequence[Told]) -> None:
    """Raises QvizError where no tensor could be examined as asked."""
    if told and all(one.refused and not one.explained for one in told):
        name, why = plain(told[0].found.name), told[0].refused
        do = "" if why.endswith(".") else "Choose another observer, mode, axis or range."
        raise QvizError(f"{name} cannot be examined so: {why.rstrip('.')}.", "", do)
