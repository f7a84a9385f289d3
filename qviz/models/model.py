"""What a model file says of its graph, read where it lies; nothing of it is decoded or run."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from qviz.errors import RefusedFile
from qviz.sources.base import UNREAD
from qviz.sources.file import File
from qviz.sources.onnx.loader import OnnxLoader
from qviz.sources.onnx.meaning import STEPS, THROUGH
from qviz.sources.onnx.reader import Reader
from qviz.sources.onnx.records import Node, Scope
from qviz.sources.onnx.wire import CODE, VARINT, Record, Wire

TYPES = {  # number in the format: element type, of those that an input may have
    **{1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64"},
    **{9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64"},
}
FIRST = ("Conv", "ConvTranspose", "BatchNormalization", "InstanceNormalization", "PRelu")
LAST = ("MatMul", "Gemm", "Gather", "MatMulInteger", "QLinearMatMul")  # outputs of their weights
CONSTANT = "Constant"


@dataclass(frozen=True)
class Input:
    """An input of a model; an axis of open length is its name, or "" without one.

    ``shape`` is None where nothing is said of it; ``dtype`` is empty where it is no tensor of
    numbers.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None


@dataclass(frozen=True, eq=False)
class Model:
    """The graph of a model: what goes in and comes out, and the operations between."""

    file: File
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    scope: Scope
    inner: int  # nodes in the bodies of control flow

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Nodes of the main graph that compute something."""
        return tuple(node for node in self.scope.nodes if node.op != CONSTANT)

    @cached_property
    def ops(self) -> Mapping[str, str]:
        """Operation that gives a value, or that uses a constant, by the name of either."""
        made = {name: node.op for node in self.nodes for name in node.outputs if name}
        return {**{name: node.op for name, node in self.users.items()}, **made}

    @cached_property
    def users(self) -> Mapping[str, Node]:
        """First operation that computes with a constant, behind those that only reshape it."""
        nodes: dict[str, list[Node]] = {}
        for node in self.nodes:
            for name in node.inputs:
                nodes.setdefault(name, []).append(node)
        return {
            name: user
            for name in self.scope.places
            if (user := _user(name, nodes)) is not None
        }  # fmt: skip

    def channel_axis(self, name: str, rank: int) -> int | None:
        """Where the channels of a constant of the main graph lie: those of its operation's output.

        Axis 0, but 1 of a transposed convolution and the last where rows are multiplied.
        """
        if rank < 2:
            return None
        node = self.users.get(name)
        if node is None:
            return 0
        if node.op == "ConvTranspose":
            return 1
        turned = node.op == "Gemm" and node.numbers.get("transB", 0)
        return rank - 1 if node.op in LAST and not turned else 0


def activation_axis(op: str, rank: int) -> int | None:
    """Where the channels of an activation lie: 1 of images and of convolutions, else the last."""
    if rank < 2:
        return None
    return 1 if rank >= 4 or op in FIRST else rank - 1


def read_model(path: Path, shown: str = "") -> Model:
    """The graph of the ONNX model at ``path``.

    Raises
    ------
    RefusedFile
        L13 external data, L15 no model, a damaged one, or one without nodes.
    """
    file = File(path, shown or path.name)
    try:
        if file.size == 0 or not OnnxLoader().matches(file):
            raise RefusedFile(
                f"{file.shown} is no ONNX model.", "Only those can be run.",
                "Export one, or pass a torch module to qviz.capture.", code=CODE,
            )  # fmt: skip
        with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as d:
            return _read(file, Wire(d, file.shown), len(d))
    except OSError as error:
        why = f"{error.strerror}."
        raise RefusedFile(f"{file.shown} cannot be read.", why, "Check it.", code=UNREAD) from error


def _read(file: File, wire: Wire, end: int) -> Model:
    scopes = Reader(wire).model(end)
    graphs = wire.record(0, end).spans(7)
    main = next((scope for scope in scopes if not scope.prefix), None)
    if not graphs or main is None or not main.nodes:
        raise RefusedFile(
            f"{file.shown} holds no graph to run.", "It has no node.", "Export it again.", code=CODE
        )
    graph = wire.record(*graphs[-1])
    stored = set(main.places)
    inputs = [_input(wire.record(*span)) for span in graph.spans(11)]
    outputs = [wire.record(*span).text(1) for span in graph.spans(12)]
    inner = sum(len(scope.nodes) for scope in scopes if scope.outer is not None)
    return Model(
        file, tuple(i for i in inputs if i.name not in stored), tuple(outputs), main, inner
    )


def _input(value: Record) -> Input:
    wire = value.wire
    for span in value.spans(2):
        for inner in wire.record(*span).spans(1):
            tensor = wire.record(*inner)
            dtype = TYPES.get((tensor.numbers(1) or [0])[-1], "")
            shapes = tensor.spans(2)
            shape = _shape(wire.record(*shapes[-1])) if shapes else None
            return Input(value.text(1), dtype, shape)
    return Input(value.text(1), "", None)


def _shape(shape: Record) -> tuple[int | str, ...]:
    axes = [shape.wire.record(*span) for span in shape.spans(1)]
    return tuple(_length(axis) for axis in axes)


def _length(axis: Record) -> int | str:
    fixed = [n for n in axis.numbers(1) if n >= 0]
    return fixed[-1] if fixed and axis.groups[1][-1][1] == VARINT else axis.text(2)


def _user(name: str, nodes: Mapping[str, list[Node]]) -> Node | None:
    waiting, steps = [name], 0
    while waiting and steps < STEPS:
        steps += 1
        for node in nodes.get(waiting.pop(), ()):
            if node.op not in THROUGH:
                return node
            waiting += [out for out in node.outputs[:1] if out and out != name]
    return None
