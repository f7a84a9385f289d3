"""The question, with the best repair in place, as lines of Python."""

from __future__ import annotations

from typing import Any

from qviz.doctor import Finding, Given
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.ui.choice import Choice
from qviz.ui.doctor.applying import CODES, ENDS, may
from qviz.ui.doctor.asked import Asked

IMPORTS = """import numpy as np

from qviz.doctor import {names}
from qviz.spec import QuantSpec

x = np.load("tensor.npy")
"""
STORED = 'scale, zero_point = np.load("scale.npy"), np.load("zero_point.npy")\n'
ASK = "for finding in examine(case):\n    print(finding.severity, finding.rule, finding.message)\n"


def code(choice: Choice, question: Asked, finding: Finding) -> str:
    """Lines that load an array and ask every rule again; they name no file of the session."""
    first = finding.fixes[0] if finding.fixes else None
    how = dict(first.how) if first is not None and may(choice, first) else {}
    given = None if "observer" in how else question.given
    lines = _settings(choice, question, how)
    if given is not None:
        lines["given"] = _given(given)
    if question.coded:
        lines = {"codes": "x", **{n: v for n, v in lines.items() if n in ("role", "given")}}
    body = "".join(f"    {name}={value},\n" for name, value in lines.items())
    names = "Case, Given, examine" if given is not None else "Case, examine"
    several = given is not None and given.scale.size > 1
    start = IMPORTS.format(names=names) + STORED * several
    what = "None" if question.coded else "x"
    return f"{start}case = Case.of(\n    {what},\n    {_spec(choice, how)},\n{body})\n{ASK}"


def _spec(choice: Choice, how: dict[str, Any]) -> str:
    said = {name: how.get(name, getattr(choice.target.spec, name)) for name in (*CODES, *ENDS)}
    fields = [f"{n}={v!r}" for n, v in said.items() if v is not None and v is not False]
    return f"QuantSpec({', '.join(fields)})"


def _settings(choice: Choice, question: Asked, how: dict[str, Any]) -> dict[str, str]:
    target = choice.target
    out = {
        "observer": repr(str(how.get("observer", OBSERVERS.spell(question.observer)))),
        "mode": repr(str(how.get("mode", QUANTIZERS.spell(target.mode)))),
        "granularity": repr(str(how.get("granularity", target.granularity))),
        "role": repr(str(choice.role)),
    }
    if choice.batch_axis is not None:
        out["batch_axis"] = str(choice.batch_axis)
    if question.symmetric_only:
        out["symmetric_only"] = "True"
    return out


def _given(given: Given) -> str:
    several = given.scale.size > 1
    scale = "scale" if several else repr(float(given.scale[0]))
    zero = "zero_point" if several else repr(int(given.zero_point[0]))
    return f"Given.of({scale}, {zero}, ({given.quant_min}, {given.quant_max}))"
