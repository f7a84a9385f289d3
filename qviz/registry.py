"""Registries of members: observers, modes, metrics, loaders, operations.

A module dropped into a registry's folder registers itself with a decorator; nothing else is
edited. A registry imports its folders at the first look-up, never at import.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from qviz.errors import QvizError, UnknownName

M = TypeVar("M")
Knobs = Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """Where a rule is taken from: document, section, version."""

    document: str
    section: str
    version: str

    def __str__(self) -> str:
        return f"{self.document}, {self.section} ({self.version})"


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


@dataclass(frozen=True)
class Entry:
    """What a registry knows of one member."""

    name: str
    title: str
    source: Source
    made: Any
    presets: Mapping[str, Knobs]
    golden: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)


class Registry(Mapping[str, Any]):
    """Members of one kind by name, sorted.

    Parameters
    ----------
    kind : str
        The word used in messages.
    *packages : str
        Packages whose modules register members when imported.
    """

    def __init__(self, kind: str, *packages: str) -> None:
        self.kind, self._packages, self._loaded = kind, packages, False
        self._entries: dict[str, Entry] = {}
        self._presets: dict[str, tuple[str, Knobs]] = {}

    def register(
        self,
        name: str,
        *,
        title: str,
        source: Source,
        presets: Mapping[str, Knobs] | None = None,
        golden: str = "",
        **notes: Any,
    ) -> Callable[[M], M]:
        """File the decorated class or function under ``name`` and return it unchanged.

        Without ``presets`` the member itself is its only list entry; with ``{}`` it stands in
        no list and is reached by name alone.
        """
        listed = {name: {}} if presets is None else presets

        def file(made: M) -> M:
            for key in {name, *listed}:
                if key in self._entries or key in self._presets:
                    raise QvizError(f"{self.kind} {key!r} is registered twice.")
                if set(key) & set(",:=") or not key:
                    raise QvizError(f"{self.kind} name {key!r} is empty or holds one of , : =")
            self._entries[name] = Entry(name, title, source, made, listed, golden, notes)
            self._presets.update({k: (name, v) for k, v in listed.items()})
            return made

        return file

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        for package in self._packages:
            root = importlib.import_module(package)
            for found in pkgutil.walk_packages(root.__path__, package + "."):
                importlib.import_module(found.name)

    def entry(self, name: str) -> Entry:
        """Title, source and presets of the member called ``name``."""
        self._load()
        if name in self._entries:
            return self._entries[name]
        known = sorted({*self._entries, *self._presets})
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"Did you mean {', '.join(close)}?" if close else f"Known: {', '.join(known)}."
        raise UnknownName(f"No {self.kind} is called {name!r}.", "", hint)

    def __getitem__(self, name: str) -> Any:
        return self.entry(name).made

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._entries))

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    @property
    def presets(self) -> dict[str, tuple[str, Knobs]]:
        """List entries: preset name -> (member, knobs), sorted by name."""
        self._load()
        return dict(sorted(self._presets.items()))

    def make(self, spelling: str) -> Any:
        """Build a member from ``name``, ``preset`` or ``name:knob=value,knob=value``."""
        head, _, tail = spelling.partition(":")
        name, knobs = self.presets.get(head, (head, {}))
        made = self[name]
        given = dict(knobs)
        for pair in filter(None, tail.split(",")):
            key, equals, text = pair.partition("=")
            known = knobs_of(made)
            if key not in known or not equals:
                allowed = ", ".join(known) or "none"
                raise QvizError(f"{head} has no knob {pair!r}.", f"Its knobs: {allowed}.")
            given[key] = read_knob(f"{head}:{key}", known[key][0], known[key][1], text)
        return made(**given)

    def name_of(self, member: Any) -> str:
        """The name under which the member's class is filed."""
        self._load()
        kind = member if isinstance(member, type) else type(member)
        for entry in self._entries.values():
            if entry.made is kind:
                return entry.name
        raise UnknownName(f"{kind.__name__} is not a registered {self.kind}.")

    def spell(self, member: Any) -> str:
        """Write a member as text; ``make(spell(m)) == m``. Only knobs off their default."""
        name = self.name_of(member)
        off = _off_default(member)
        return name + (":" + ",".join(f"{k}={write_knob(v)}" for k, v in off.items()) if off else "")

    def title_of(self, member: Any) -> str:
        """The words on screen: the preset's name where one fits, else title and knobs."""
        entry = self.entry(self.name_of(member))
        for preset, knobs in entry.presets.items():
            if preset != entry.name and _off_default(entry.made(**knobs)) == _off_default(member):
                return preset[:1].upper() + preset[1:].replace("_", " ")
        off = ", ".join(f"{k} {write_knob(v)}" for k, v in _off_default(member).items())
        return f"{entry.title} {off}".strip()


def _off_default(member: Any) -> dict[str, Any]:
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
