"""Which observers are compared: the default list, and lists written as text."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import cast

from qviz.errors import QvizError, UnknownName
from qviz.observers.base import OBSERVERS, Observer

NEUTRAL = "qviz.observers."
ALL = "all"


def default_observers() -> tuple[Observer, ...]:
    """All presets that belong to no framework, sorted by name."""
    presets = OBSERVERS.presets.items()
    return _made(name for name, (member, _) in presets if _is_neutral(member))


def select(wanted: str | Observer | Iterable[str | Observer] | None) -> tuple[Observer, ...]:
    """Observers from spellings, presets, globs, ``all`` and observers themselves.

    A text holds entries between commas; a piece ``knob=value`` without a name belongs to the
    entry before it: ``minmax,percentile:keep=99.95,sides=1,torch.*``. Each observer is listed
    once, in the order asked for; None gives the default list.

    Raises
    ------
    QvizError
        An unknown name or knob, a glob that matches nothing, an empty list.
    """
    if wanted is None:
        return default_observers()
    entries = [wanted] if isinstance(wanted, str | Observer) else wanted
    found = [observer for entry in entries for observer in _read(entry)]
    if not found:
        raise QvizError("No observer was named.", "At least one is compared.", "Name minmax, say.")
    return tuple(dict.fromkeys(found))


def split(text: str) -> list[str]:
    """Entries of a list written with commas; knobs stay with their observer."""
    entries: list[str] = []
    for piece in (part.strip() for part in text.split(",")):
        if "=" not in piece or ":" in piece:
            entries.append(piece)
        elif entries and ":" in entries[-1]:
            entries[-1] += f",{piece}"
        else:
            raise QvizError(f"{piece!r} follows no observer.", "", "Write name:knob=value.")
    return [entry for entry in entries if entry]


def _read(entry: str | Observer) -> tuple[Observer, ...]:
    if isinstance(entry, Observer):
        return (entry,)
    if not isinstance(entry, str):
        raise QvizError(f"{entry!r} is no observer.", "", "Give a spelling or an observer.")
    return tuple(observer for part in split(entry) for observer in _of_entry(part))


def _of_entry(entry: str) -> tuple[Observer, ...]:
    if entry == ALL:
        return _made(OBSERVERS.presets)
    if ":" not in entry and set(entry) & set("*?["):
        names = [name for name in OBSERVERS.presets if fnmatchcase(name, entry)]
        if not names:
            known = ", ".join(OBSERVERS.presets)
            raise UnknownName(f"No observer matches {entry!r}.", "", f"Known: {known}.")
        return _made(names)
    return _made([entry])


def _is_neutral(member: str) -> bool:
    return OBSERVERS[member].__module__.startswith(NEUTRAL)


def _made(names: Iterable[str]) -> tuple[Observer, ...]:
    made = (cast(Observer, OBSERVERS.make(name)) for name in names)
    return tuple(dict.fromkeys(made))
