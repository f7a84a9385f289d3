"""Seeds for nodes that draw at random, so that each run of a model draws the same.

Imports onnx: only processes that run models import this module.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

import onnx
from onnx import helper

DRAWING = frozenset(
    "RandomNormal RandomNormalLike RandomUniform RandomUniformLike Multinomial Bernoulli".split()
)
SEED = "seed"


def seeded(model: onnx.ModelProto) -> bool:
    """Give each node that draws, and has no seed, one that hangs on its own name alone.

    So it draws the same in every model that is made of this one, wherever it stands in it. Gives
    whether any node draws: from one run to the next its draws go on, until a session is new.
    """
    drawing = [node for node in _nodes(model.graph.node) if node.op_type in DRAWING]
    for node in drawing:
        if not any(attribute.name == SEED for attribute in node.attribute):
            seed = zlib.crc32(node.output[0].encode()) % 2**24  # a float holds it exactly
            node.attribute.append(helper.make_attribute(SEED, float(seed)))
    return bool(drawing)


def _nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from _nodes(inner.node)
