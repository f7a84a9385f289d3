"""Codes that no integer type has, or that are halved twice."""

from __future__ import annotations

from qviz.doctor.base import Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.rules.symmetric_with_offset import offset_of
from qviz.doctor.settings import changed

NATIVE = (2, 4, 8, 16)


@rule(
    "NON-NATIVE-CODES",
    title="Codes of no integer type",
    fires="quant_min and quant_max are not the ends of an integer type of 2, 4, 8 or 16 bits",
    rated="the gain of the whole integer type",
    reports=(
        *("neuralmagic/sparseml#1670", "openvinotoolkit/nncf#1816"),
        *("pytorch/pytorch#76055", "pytorch/pytorch#45563"),
    ),
)
def non_native_codes(case: Case) -> Finding | None:
    """The codes, and the type that would hold them."""
    spec = case.spec
    given = case.given
    low, high = spec.ends if given is None else (given.quant_min, given.quant_max)
    chosen = spec.quant_min is not None or spec.reduce_range or spec.narrow_range or given
    native = any(_ends(bits, low < 0) == (low, high) for bits in NATIVE)
    if not chosen or native or offset_of(case):  # an offset has a rule of its own
        return None
    bits = next((bits for bits in NATIVE if _holds(bits, low, high)), NATIVE[-1])
    whole = _ends(bits, low < 0)
    plain = {"quant_min": None, "quant_max": None, "reduce_range": False, "narrow_range": False}
    setting = changed(case, observer=case.observer, bits=bits, signed=low < 0, **plain)
    twice = spec.reduce_range and spec.quant_min is not None
    found = remedies(case, [(f"use all codes, {whole[0]} to {whole[1]}", setting)])
    evidence = {"codes": (low, high), "native": whole, "halved_twice": twice}
    why = "reduce_range halved codes that were given already" if twice else "exporters may refuse"
    message = (
        f"Codes {low} to {high} are not all of an integer type, which would be {whole[0]} to "
        f"{whole[1]}: {why}."
    )
    return found.finding(message, evidence)


def _ends(bits: int, signed: bool) -> tuple[int, int]:
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)


def _holds(bits: int, low: int, high: int) -> bool:
    first, last = _ends(bits, low < 0)
    return first <= low and high <= last
