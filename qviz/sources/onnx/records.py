"""What a model is read into: scopes of nodes and constants, by their places in the file."""

from __future__ import annotations

from dataclasses import dataclass, field

from qviz.sources.onnx.wire import Span


@dataclass(eq=False)
class Stored:
    """A stored tensor: what it claims to be, and where its bytes lie in the file.

    ``typed`` holds the places of packed typed data by field; ``loose`` counts elements that stand
    one by one.
    """

    span: Span
    name: str = ""
    dims: list[int] = field(default_factory=list)
    type: int = 0
    raw: Span | None = None
    typed: list[tuple[int, Span]] = field(default_factory=list)
    loose: int = 0


@dataclass(eq=False)
class Numbers:
    """A list of numbers in an attribute; ``kind`` is ``float32`` or ``int64``."""

    span: Span
    kind: str
    size: int
    single: bool


@dataclass(eq=False)
class Node:
    """An operation; ``numbers`` are its whole-number attributes."""

    name: str = ""
    op: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)


@dataclass(eq=False)
class Scope:
    """Nodes and constants of a graph, a subgraph or a function; names reach outwards."""

    prefix: str
    outer: Scope | None = None
    constants: list[tuple[str, Stored | Numbers]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    sparse: list[str] = field(default_factory=list)
    depth: int = 0

    def keep(self, name: str, found: Stored | Numbers) -> None:
        """Take in a constant; the first of a name is the one that nodes mean."""
        self.places.setdefault(name, len(self.constants))
        self.constants.append((name, found))

    def find(self, name: str) -> tuple[Scope, int] | None:
        """Where the constant that ``name`` means here lies: its scope and its place there."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.places:
                return scope, scope.places[name]
            scope = scope.outer
        return None
