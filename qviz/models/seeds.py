"""Seeds for nodes that draw at random, so that each run of a model draws the same.

Imports onnx: only processes that run models import this module.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Mapping

import onnx
from onnx import helper, inliner

DRAWING = frozenset(
    "RandomNormal RandomNormalLike RandomUniform RandomUniformLike Multinomial Bernoulli".split()
)
DROPOUT, TRAINS = "Dropout", 2  # it draws where this input is there, and true
SEED = "seed"
MOST = 100_000  # nodes of a model into which the bodies of its functions are put

Called = tuple[str, str, str]


def seeded(model: onnx.ModelProto) -> bool:
    """Give each node that draws, and has no seed, one that hangs on its own name alone.

    So it draws the same in every model that is made of this one, wherever it stands in it. The
    bodies of local functions that draw are put where they are called: each call draws by itself.
    Gives whether any node draws: from one run to the next its draws go on, until a session is new.
    """
    if any(_draws(node) for body in model.functions for node in _nodes(body.node)):
        _inline(model)
    bodies = [model.graph, *model.functions]
    drawing = [node for body in bodies for node in _nodes(body.node) if _draws(node)]
    for node in drawing:
        if not any(attribute.name == SEED for attribute in node.attribute):
            seed = zlib.crc32(" ".join(node.output).encode()) % 2**24  # a float holds it exactly
            value = seed if node.op_type == DROPOUT else float(seed)
            node.attribute.append(helper.make_attribute(SEED, value))
    return bool(drawing)


def _draws(node: onnx.NodeProto) -> bool:
    if node.domain not in ("", "ai.onnx"):
        return False
    trains = node.op_type == DROPOUT and any(node.input[TRAINS:])
    return node.op_type in DRAWING or trains


def _inline(model: onnx.ModelProto) -> None:
    """Put local functions where they are called, unless they are too many, or never end."""
    bodies = {(f.domain, f.name, f.overload): f.node for f in model.functions}
    try:
        if _size(model.graph.node, bodies, {}) <= MOST:
            model.CopyFrom(inliner.inline_local_functions(model))
    except (RecursionError, onnx.checker.ValidationError):
        pass  # the runtime says why it does not take it


def _size(
    nodes: Iterable[onnx.NodeProto],
    bodies: Mapping[Called, Iterable[onnx.NodeProto]],
    sizes: dict[Called, float],
) -> float:
    """Number of nodes with all functions put where they are called."""
    total = 0.0
    for node in _nodes(nodes):
        key = node.domain, node.op_type, node.overload
        if key in bodies and key not in sizes:
            sizes[key] = math.inf  # of one that calls itself
            sizes[key] = _size(bodies[key], bodies, sizes)
        total += sizes.get(key, 1)
    return total


def _nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from _nodes(inner.node)
