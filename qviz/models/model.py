"""What a model file says of its graph, read where it lies; nothing of it is decoded or run."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from qviz.errors import RefusedFile
from qviz.models.axes.kinds import activation_axis
from qviz.models.axes.walking import channel_axes
from qviz.models.declared import CONSTANT, Declared, Input, declared, read_input
from qviz.sources.base import UNREAD
from qviz.sources.codes import is_integer
from qviz.sources.file import File
from qviz.sources.onnx.loader import OnnxLoader
from qviz.sources.onnx.meaning import STEPS, THROUGH
from qviz.sources.onnx.reader import Reader
from qviz.sources.onnx.records import Node, Scope
from qviz.sources.onnx.wire import CODE, Wire
from qviz.sources.torch_file import refuse_program

LAST = ("MatMul", "Gemm", "Gather", "MatMulInteger", "QLinearMatMul")  # outputs of their weights

MOVES = ("Reshape", "Transpose")  # what has many axes behind them may be of any kind
FEW = 3  # axes up to which the custom holds all the same


@dataclass(frozen=True, eq=False)
class Model:
    """The graph of a model: what goes in and comes out, and the operations between."""

    file: File
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    scope: Scope
    inner: int  # nodes in the bodies of control flow
    declared: Declared

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

    @cached_property
    def _counts(self) -> frozenset[str]:
        """Inputs that hold whole numbers or truths, such as tokens and their mask."""
        whole = (one for one in self.inputs if one.dtype == "bool" or is_integer(one.dtype))
        return frozenset(one.name for one in whole)

    @cached_property
    def _axes(self) -> Mapping[str, int]:
        return channel_axes(self.scope.nodes, self.declared)

    def value_axis(self, name: str, rank: int) -> int | None:
        """Where the channels of a value of the main graph lie: as the graph tells, else by custom.

        None where they lie on axis 0, along which batches are joined, of whole numbers that are
        fed, and where axes were cut, joined or turned and nothing tells which they are now.
        """
        if name in self._counts:
            return None
        axis = self._axes.get(name, rank)
        if rank < 2 or not -rank <= axis < rank:
            op = self.ops.get(name, "")
            return None if rank > FEW and op in MOVES else activation_axis(op, rank)
        return axis % rank or None

    def channel_axis(self, name: str, rank: int) -> int | None:
        """Where the channels of a constant of the main graph lie: those of its operation's output.

        Axis 0, but 1 of a transposed convolution and the last where rows are multiplied.
        """
        if rank < 2:
            return None
        if -rank <= (axis := self._axes.get(name, rank)) < rank:
            return axis % rank
        node = self.users.get(name)
        if node is None:
            return 0
        if node.op == "ConvTranspose":
            return 1
        turned = node.op == "Gemm" and node.numbers.get("transB", 0)
        return rank - 1 if node.op in LAST and not turned else 0


def read_model(path: Path, shown: str = "") -> Model:
    """The graph of the ONNX model at ``path``.

    Raises
    ------
    RefusedFile
        L08 a program for torch, L13 external data, L15 no model, a damaged one, or one without
        nodes.
    """
    file = File(path, shown or path.name)
    try:
        if file.size == 0 or not OnnxLoader().matches(file):
            refuse_program(file)
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
    inputs = [read_input(wire.record(*span)) for span in graph.spans(11)]
    outputs = [wire.record(*span).text(1) for span in graph.spans(12)]
    inner = sum(len(scope.nodes) for scope in scopes if scope.outer is not None)
    free = tuple(one for one in inputs if one.name not in stored)
    return Model(file, free, tuple(outputs), main, inner, declared(graph, main))


def _user(name: str, nodes: Mapping[str, list[Node]]) -> Node | None:
    waiting, steps = [name], 0
    while waiting and steps < STEPS:
        steps += 1
        for node in nodes.get(waiting.pop(), ()):
            if node.op not in THROUGH:
                return node
            waiting += [out for out in node.outputs[:1] if out and out != name]
    return None
