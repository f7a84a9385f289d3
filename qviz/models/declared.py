"""What a graph declares of its values: types, shapes, and the short lists that turn or reshape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from qviz.sources.onnx.records import Numbers, Scope, Stored
from qviz.sources.onnx.wire import VARINT, Record, Span, Wire

TYPES = {  # number in the format: element type, of those that an input may have
    **{1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64"},
    **{9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64"},
}
OTHERS = {  # types that NumPy lacks, or that are no real numbers
    **{8: "text", 14: "complex64", 15: "complex128", 16: "bfloat16", 17: "float8_e4m3fn"},
    **{18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz", 21: "uint4", 22: "int4"},
    **{23: "float4_e2m1fn", 24: "float8_e8m0fnu", 25: "uint2", 26: "int2"},
}
NO_TENSORS = {4: "a sequence", 5: "a map", 8: "a sparse tensor", 9: "an optional value"}
CONSTANT = "Constant"  # the operation that holds one
INT64 = 7
MOST = 64  # axes of a shape, and numbers of a list, that are kept
LISTED = ("Transpose", "Reshape", "Squeeze", "Unsqueeze", "Expand")  # and all that reduce
LISTS = ("perm", "axes", "shape")  # their attributes
Shape = tuple[int | str, ...]  # an axis of open length is its name, or "" without one


@dataclass(frozen=True)
class Input:
    """An input of a model; an axis of open length is its name, or "" without one.

    ``shape`` is None where nothing is said of it; ``dtype`` is empty where it cannot be fed, and
    ``kind`` then says what it takes.
    """

    name: str
    dtype: str
    shape: Shape | None
    kind: str = ""


@dataclass(frozen=True, eq=False)
class Declared:
    """``shapes`` of values and constants; ``lists`` of a few whole numbers.

    A list is that of a constant, or of a node's attribute under the name of its first output.
    ``equations`` are those of Einsum, under the same name.
    """

    shapes: Mapping[str, Shape]
    lists: Mapping[str, tuple[int, ...]]
    constants: frozenset[str]
    equations: Mapping[str, str] = field(default_factory=dict)


def read_input(value: Record) -> Input:
    """An input, an output or another value that the graph declares."""
    wire, name = value.wire, value.text(1)
    kinds = [wire.record(*span) for span in value.spans(2)]
    for kind in kinds:
        for inner in kind.spans(1):
            tensor = wire.record(*inner)
            number = (tensor.numbers(1) or [0])[-1]
            shapes = tensor.spans(2)
            shape = _shape(wire.record(*shapes[-1])) if shapes else None
            dtype = TYPES.get(number, "")
            return Input(name, dtype, shape, "" if dtype else OTHERS.get(number, ""))
    others = [words for field, words in NO_TENSORS.items() for kind in kinds if kind.spans(field)]
    return Input(name, "", None, (others or [""])[0])


def _shape(shape: Record) -> Shape:
    axes = [shape.wire.record(*span) for span in shape.spans(1)]
    return tuple(_length(axis) for axis in axes)


def _length(axis: Record) -> int | str:
    fixed = [n for n in axis.numbers(1) if n >= 0]
    return fixed[-1] if fixed and axis.groups[1][-1][1] == VARINT else axis.text(2)


def declared(graph: Record, scope: Scope) -> Declared:
    """What the record of the main graph declares; ``scope`` is what was read of it."""
    wire = Wire(graph.wire.data, graph.wire.shown)  # with a count of its own: not all is read twice
    values = [
        read_input(wire.record(*span)) for field in (13, 12, 11) for span in graph.spans(field)
    ]
    shapes = {one.name: one.shape for one in values if one.shape is not None}
    stored = {name: scope.constants[at][1] for name, at in scope.places.items()}
    shapes |= {name: _dims(one) for name, one in stored.items()}
    kept = {name: shape for name, shape in shapes.items() if len(shape) <= MOST}
    lists, equations = (
        dict(_lists(wire, graph, scope, stored)),
        dict(_equations(wire, graph, scope)),
    )
    return Declared(kept, lists, frozenset(stored), equations)


def _dims(stored: Stored | Numbers) -> Shape:
    if isinstance(stored, Stored):
        return tuple(stored.dims)
    return () if stored.single else (stored.size,)


def _lists(
    wire: Wire, graph: Record, scope: Scope, stored: Mapping[str, Stored | Numbers]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    for node, span in zip(scope.nodes, graph.spans(1), strict=False):
        if not (node.op in LISTED or node.op.startswith("Reduce")) or not node.outputs:
            continue
        name = (*node.inputs, "", "")[1]
        if name in stored and (found := _numbers(wire, stored[name])):
            yield name, found
        for inner in wire.record(*span).spans(5):
            attribute = wire.record(*inner)
            if attribute.text(1) in LISTS:
                yield node.outputs[0], tuple(attribute.numbers(8)[:MOST])


def _equations(wire: Wire, graph: Record, scope: Scope) -> Iterator[tuple[str, str]]:
    for node, span in zip(scope.nodes, graph.spans(1), strict=False):
        for inner in wire.record(*span).spans(5) if node.op == "Einsum" and node.outputs else ():
            attribute = wire.record(*inner)
            if attribute.text(1) == "equation" and len(said := attribute.text(4)) <= MOST:
                yield node.outputs[0], said


def _numbers(wire: Wire, stored: Stored | Numbers) -> tuple[int, ...]:
    """The elements of a short constant of 64-bit integers; none of another."""
    if isinstance(stored, Numbers):
        short = stored.kind == "int64" and stored.size <= MOST
        record = wire.record(*stored.span) if short else None
        return () if record is None else tuple(record.numbers(8) or record.numbers(3))
    if stored.type != INT64 or len(stored.dims) > 1 or max(stored.dims, default=1) > MOST:
        return ()
    if stored.raw is None:
        return tuple(wire.record(*stored.span).numbers(7)[:MOST])
    return _whole(wire, stored.raw)


def _whole(wire: Wire, raw: Span) -> tuple[int, ...]:
    data = wire.data[raw[0] : min(raw[1], raw[0] + 8 * MOST)]
    return tuple(np.frombuffer(data[: len(data) // 8 * 8], "<i8").tolist())
