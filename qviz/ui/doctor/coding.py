"""The question as lines of Python, and what the best repair leaves of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from qviz.doctor import Finding, Fix, Given
from qviz.figures.doctor_words import gain_of
from qviz.figures.numbers import percent
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.ui.choice import Choice
from qviz.ui.doctor.applying import CODES, ENDS
from qviz.ui.doctor.asked import Asked
from qviz.ui.doctor.subject import Seeing

ASK = """for finding in examine(case):
    print(finding.severity, finding.rule, finding.message)
    for fix in finding.fixes:
        print(f"  {fix.action}: {fix.gain_db:+.1f} dB ({fix.measured_at})")
"""
THEN = """
# {what}
repaired = Case.of(x, {spec}, **settings | {{{changes}}})
for when, one in {{{cases}}}.items():
    sqnr = one.metric("sqnr")
    print(f"SQNR of the whole tensor {{when}}:", "exact" if sqnr is None else f"{{sqnr:.1f}} dB")
"""


def code(choice: Choice, question: Asked, seen: Seeing, finding: Finding) -> str:
    """Lines that load arrays and ask every rule again; they name no file of the session."""
    settings = _settings(choice, question)
    body = "".join(f'    "{name}": {value},\n' for name, value in settings.items())
    what = "None" if question.coded else "x"
    return (
        f"{_imports(question)}{_loads(choice, question)}settings = {{\n{body}}}\n"
        f"case = Case.of({what}, {_spec(choice, {})}, **settings)\n{ASK}"
        f"{_repaired(choice, question, seen, finding)}{_of_model(finding, seen)}"
    )


def _imports(question: Asked) -> str:
    names = {"Bias": question.bias, "Case": True, "Given": question.given, "examine": True}
    named = ", ".join(name for name, used in names.items() if used is not None)
    operand = "from qviz.transforms import Operand\n" if question.operand is not None else ""
    start = f"import numpy as np\n\nfrom qviz.doctor import {named}\n"
    return f"{start}from qviz.spec import QuantSpec\n{operand}\n"


def _loads(choice: Choice, question: Asked) -> str:
    """What stands in files: the tensor, as its batches, and the qparams where they are many."""
    lines = 'x = np.load("tensor.npy")\n'
    ends = list(accumulate(choice.item.info.splits))[:-1]
    if ends and choice.batch_axis is None and not question.coded:
        even = len(set(choice.item.info.splits)) == 1
        lines += f"x = np.split(x, {len(ends) + 1 if even else ends})\n"
    if _several(question.given):
        lines += 'scale, zero_point = np.load("scale.npy"), np.load("zero_point.npy")\n'
    return lines


def _several(given: Given | None) -> bool:
    return given is not None and given.scale.size > 1


def _spec(choice: Choice, how: Mapping[str, Any]) -> str:
    said = {name: how.get(name, getattr(choice.target.spec, name)) for name in (*CODES, *ENDS)}
    fields = [f"{n}={v!r}" for n, v in said.items() if v is not None and v is not False]
    return f"QuantSpec({', '.join(fields)})"


def _settings(choice: Choice, question: Asked) -> dict[str, str]:
    """What the case takes by name, as it is written; nothing else of codes."""
    given = {} if question.given is None else {"given": _given(question.given)}
    role = {"role": repr(str(choice.role))}
    if question.coded:
        return role | {"codes": "x"} | given
    target, known = choice.target, {
        "batch_axis": choice.batch_axis,
        "stored_as": question.stored_as or None,
        "symmetric_only": question.symmetric_only or None,
    }  # fmt: skip
    return {
        "observer": repr(OBSERVERS.spell(question.observer)),
        "mode": repr(QUANTIZERS.spell(target.mode)),
        "granularity": repr(str(target.granularity)),
        **role, **given, **_others(question),
        **{name: repr(value) for name, value in known.items() if value is not None},
    }  # fmt: skip


def _others(question: Asked) -> dict[str, str]:
    """Other tensors, each from a file of its own."""
    out = {}
    if question.operand is not None:
        out["operand"] = f'Operand(np.load("operand.npy"), {question.operand.axis})'
    if question.bias is not None:
        out["bias"] = f'Bias(np.load("bias.npy"), {question.bias.input_scale!r})'
    if question.importance is not None:
        out["importance"] = 'np.load("importance.npy")'
    return out


def _given(given: Given) -> str:
    first = float(given.scale[0])
    said = repr(first) if math.isfinite(first) else f'float("{first}")'
    scale, zero = said, repr(int(given.zero_point[0]))
    if _several(given):
        scale, zero = "scale", "zero_point"
    return f"Given.of({scale}, {zero}, ({given.quant_min}, {given.quant_max}))"


def _repaired(choice: Choice, question: Asked, seen: Seeing, finding: Finding) -> str:
    """The whole tensor's SQNR before and after the best fix; nothing where it is no setting."""
    fix = finding.fixes[0] if finding.fixes else None
    if fix is None or not fix.how or "transform" in fix.how or question.coded:
        return ""
    changes = {n: repr(str(v)) for n, v in fix.how.items() if n not in (*CODES, *ENDS)}
    if "observer" in changes and question.given is not None:
        changes["given"] = "None"  # a range of the data takes its place
    cases = ('"now": case, ' if seen.facts.sqnr is not None else "") + '"repaired": repaired'
    return THEN.format(
        what=f"{fix.action[:1].upper()}{fix.action[1:]}.", cases=cases,
        spec=_spec(choice, fix.how),
        changes=", ".join(f'"{name}": {value}' for name, value in changes.items()),
    )  # fmt: skip


def _of_model(finding: Finding, seen: Seeing) -> str:
    """Gains that only the model itself can tell, as remarks."""
    if seen.facts.now is None or not finding.fixes:
        return ""
    start = f"# With the model, which these lines do not run, {finding.rule} came to:"
    return "\n".join(["", start, *(f"#   {_told(fix)}" for fix in finding.fixes), ""])


def _told(fix: Fix) -> str:
    right = "" if fix.accuracy is None else f", {percent(fix.accuracy)} right"
    return f"{fix.action}: {gain_of(fix)}{right}"
