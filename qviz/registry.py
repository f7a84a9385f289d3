"""Registries of members: observers, modes, metrics, loaders, operations.

A module dropped into a registry's folder registers itself with a decorator; nothing else is
edited. A registry imports its folders at the first look-up, never at import.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from qviz.errors import QvizError, UnknownName
from qviz.knobs import Knob, knob, knobs_of, off_default, read_knob, write_knob

__all__ = ["Entry", "Knob", "Registry", "Source", "knob", "knobs_of", "write_knob"]

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
        self._loaded = True  # modules that are being imported may look things up already
        complete = False
        try:
            for package in self._packages:
                root = importlib.import_module(package)
                for found in pkgutil.walk_packages(root.__path__, package + "."):
                    importlib.import_module(found.name)
            complete = True
        finally:
            self._loaded = complete

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
        pairs = [f"{key}={write_knob(value)}" for key, value in off_default(member).items()]
        return self.name_of(member) + (":" + ",".join(pairs) if pairs else "")

    def title_of(self, member: Any) -> str:
        """The words on screen: the preset's name where one fits, else title and knobs."""
        entry = self.entry(self.name_of(member))
        for preset, knobs in entry.presets.items():
            if preset != entry.name and off_default(entry.made(**knobs)) == off_default(member):
                return preset[:1].upper() + preset[1:].replace("_", " ")
        off = ", ".join(f"{k} {write_knob(v)}" for k, v in off_default(member).items())
        return f"{entry.title} {off}".strip()
