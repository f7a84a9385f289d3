"""Graphs prepared for a run: every value an output, every constant and every value replaceable.

Imports onnx: only processes that run models import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError
from onnx import helper

from qviz.errors import RefusedFile
from qviz.sources.onnx.wire import CODE

USE, GIVEN, THEN = " use", " given", " then"  # names of what a switch takes and gives


def loaded(path: Path, shown: str) -> onnx.ModelProto:
    """The model; nothing outside its file is opened. Raises RefusedFile where it is damaged."""
    try:
        return onnx.load_model_from_string(path.read_bytes())
    except (DecodeError, ValueError) as error:
        why = "Its records are not those of a model."
        raise RefusedFile(f"{shown} is damaged.", why, "Export it again.", code=CODE) from error


def with_outputs(model: onnx.ModelProto, names: Iterable[str]) -> bytes:
    """The model with these values as its only outputs."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    del made.graph.output[:]
    made.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return made.SerializeToString()


def replaceable(
    model: onnx.ModelProto, constants: Sequence[str], switched: Mapping[str, int]
) -> bytes:
    """The model in which constants and values can be given another content at each run.

    Each of ``constants`` becomes an input that may be left out. Behind each value of ``switched``
    (name -> element type) stands an If that hands on what was given, or the value: to all that
    read it, bit for bit (a Where would lose the sign of zeros). Outputs are those of the model,
    as read (see ``then``), and the values themselves.
    """
    made = onnx.ModelProto()
    made.CopyFrom(model)
    graph, outputs = made.graph, [value.name for value in model.graph.output]
    made.ir_version = max(made.ir_version, 4)  # from which constants need not be inputs
    _open_constants(graph, set(constants))
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        _read_results(node, switched)
        nodes.append(node)
        nodes += [_switch(graph, name, switched[name]) for name in node.output if name in switched]
    kept = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(kept)
    del graph.output[:]
    wanted = [*(then(name, switched) for name in outputs), *switched]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(wanted))
    return made.SerializeToString()


def then(name: str, switched: Iterable[str]) -> str:
    """What others read of a value."""
    return name + THEN if name in switched else name


def _open_constants(graph: onnx.GraphProto, names: set[str]) -> None:
    """Make constants overridable: initializers that are inputs, too."""
    kept = []
    for node in graph.node:
        stored = [a.t for a in node.attribute if a.name == "value" and a.HasField("t")]
        if node.op_type == "Constant" and stored and node.output[0] in names:
            stored[0].name = node.output[0]
            graph.initializer.append(stored[0])
        else:
            kept.append(onnx.NodeProto.FromString(node.SerializeToString()))
    del graph.node[:]
    graph.node.extend(kept)
    inputs = {value.name for value in graph.input}
    for stored in graph.initializer:
        if stored.name in names and stored.name not in inputs:
            graph.input.append(
                helper.make_tensor_value_info(stored.name, stored.data_type, list(stored.dims))
            )


def _switch(graph: onnx.GraphProto, name: str, kind: int) -> onnx.NodeProto:
    use = helper.make_tensor_value_info(name + USE, onnx.TensorProto.BOOL, [])
    given = onnx.ValueInfoProto(name=name + GIVEN)
    given.type.tensor_type.elem_type = kind  # of any shape: a single value while it is not used
    graph.input.extend([use, given])
    given, own = _same(name + GIVEN, kind), _same(name, kind)
    outputs = [name + THEN]
    return helper.make_node("If", [name + USE], outputs, then_branch=given, else_branch=own)


def _same(name: str, kind: int) -> onnx.GraphProto:
    """A branch that gives a value of the graph around it."""
    given = onnx.ValueInfoProto(name=f"{name} same")
    given.type.tensor_type.elem_type = kind
    return helper.make_graph(
        [helper.make_node("Identity", [name], [given.name])], "same", [], [given]
    )


def _read_results(node: onnx.NodeProto, switched: Mapping[str, int]) -> None:
    for at, name in enumerate(node.input):
        if name in switched:
            node.input[at] = name + THEN
    for attribute in node.attribute:
        for inner in [attribute.g, *attribute.graphs]:
            for one in inner.node:
                _read_results(one, switched)
