"""Knobs: dataclass fields that feed slider, command line, catalogue and tests."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from qviz.errors import QvizError


@dataclass(frozen=True)
class Knob:
    """How a field is offered: as a number between two ends, one of options, or a switch."""

    help: str
    low: float | None = None
    high: float | None = None
    options: tuple[Any, ...] | None = None


def knob(
    default: Any,
    *,
    help: str = "",
    low: float | None = None,
    high: float | None = None,
    options: tuple[Any, ...] | None = None,
) -> Any:
    """Declare a dataclass field that feeds slider, command line, catalogue and tests."""
    return field(default=default, metadata={"knob": Knob(help, low, high, options)})


def knobs_of(member: Any) -> dict[str, tuple[Knob, Any]]:
    """Knob and current value (of a class: default) by field name."""
    now = (lambda f: f.default) if isinstance(member, type) else (lambda f: getattr(member, f.name))
    fields = dataclasses.fields(member) if dataclasses.is_dataclass(member) else ()
    return {f.name: (f.metadata["knob"], now(f)) for f in fields if "knob" in f.metadata}


def off_default(member: Any) -> dict[str, Any]:
    """Knob values that differ from the class's defaults."""
    defaults = knobs_of(type(member))
    return {k: v for k, (_, v) in knobs_of(member).items() if v != defaults[k][1]}


def write_knob(value: Any) -> str:
    """Text of a knob value: shortest digits that read back to the same number."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def read_knob(where: str, known: Knob, default: Any, text: str) -> Any:
    """Parse and check one knob value."""
    if known.options is not None:
        for option in known.options:
            if write_knob(option) == text:
                return option
        allowed = ", ".join(write_knob(o) for o in known.options)
        raise QvizError(f"{where}={text} is not offered.", f"Allowed: {allowed}.")
    if isinstance(default, bool):
        if text.lower() in ("1", "true", "on", "yes"):
            return True
        if text.lower() in ("0", "false", "off", "no"):
            return False
        raise QvizError(f"{where}={text} is neither true nor false.")
    return _read_number(where, known, type(default), text)


def _read_number(where: str, known: Knob, kind: type, text: str) -> Any:
    try:
        value = kind(text)
    except ValueError as error:
        raise QvizError(f"{where}={text} is not a number.") from error
    low = -float("inf") if known.low is None else known.low
    high = float("inf") if known.high is None else known.high
    if not low <= value <= high:
        raise QvizError(f"{where}={text} is out of range.", f"Allowed: {low:g} to {high:g}.")
    return value
