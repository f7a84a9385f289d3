"""The axis of the channels of all values of a graph, found by walking it in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from qviz.models.axes import lettered, mixing, reshaping
from qviz.models.axes.layouts import Laid, told
from qviz.models.axes.mixing import FIRST, IMAGES, LAST, NORMS, PLAIN, PRODUCTS, SAME, Given
from qviz.models.axes.reshaping import KEEPS, permutation
from qviz.models.declared import CONSTANT, Declared
from qviz.sources.onnx.records import Node

Axes = dict[str, int]  # an axis below 0 counts from the last
REDUCES = "Max Min Mean Sum Prod L1 L2 LogSum LogSumExp SumSquare"
RULES: Mapping[str, Callable[[Node, Given, Declared], Laid]] = {
    **dict.fromkeys(SAME, mixing.same),
    **dict.fromkeys(IMAGES, mixing.image),
    **dict.fromkeys(FIRST, mixing.first),
    **dict.fromkeys(LAST, mixing.last),
    **dict.fromkeys(NORMS, mixing.norm),
    **dict.fromkeys(PRODUCTS, mixing.product),
    **dict.fromkeys(KEEPS, reshaping.keeps),
    **dict.fromkeys((f"Reduce{how}" for how in REDUCES.split()), reshaping.squeeze),
    **{"Squeeze": reshaping.squeeze, "Unsqueeze": reshaping.unsqueeze, "Expand": reshaping.expand},
    **{"Reshape": reshaping.reshape, "Flatten": reshaping.reshape, "Gather": reshaping.gather},
    **{"Transpose": reshaping.transpose, "Einsum": lettered.lettered},
}


def channel_axes(nodes: Sequence[Node], graph: Declared) -> Axes:
    """The axis of the channels of each value and constant, where the graph tells it.

    A convolution puts them on axis 1, a product with a matrix on the last; what works element by
    element leaves them where they are. Where no operation before a value tells, such as of an
    input, its channels lie where the first operation behind it takes them.
    """
    wanted = _wanted(nodes, graph, _walked(nodes, graph, {}))
    known = _walked(nodes, graph, wanted)
    return {name: laid.axis for name, laid in known.items() if laid.axis is not None}


def _walked(nodes: Sequence[Node], graph: Declared, wanted: Axes) -> dict[str, Laid]:
    shapes = {name: told(shape) for name, shape in graph.shapes.items()}
    names = shapes.keys() | wanted.keys()
    known = {n: Laid(shapes.get(n), wanted.get(n), n in graph.constants) for n in names}
    for node in nodes:
        given = [known.get(name, Laid()) for name in node.inputs]
        laid = RULES[node.op](node, given, graph) if node.op in RULES else Laid()
        constant = bool(given) and all(one.constant for one in given)
        for name in node.outputs if node.op != CONSTANT else ():
            axis = wanted.get(name) if laid.axis is None else laid.axis
            known[name] = Laid(shapes.get(name, laid.shape), axis, constant)
    return known


def _wanted(nodes: Sequence[Node], graph: Declared, known: Mapping[str, Laid]) -> Axes:
    wanted: Axes = {}
    for node in reversed(nodes):
        given = [known.get(name, Laid()) for name in node.inputs]
        out = wanted.get(node.outputs[0]) if node.outputs else None
        asked = dict(mixing.read(node, given))
        if node.op == "Einsum":
            asked |= lettered.taken(node, given, graph)
        if out is not None:
            asked |= _passed(node, given, graph, out)
        wanted |= {name: asked[at] for at, name in enumerate(node.inputs) if at in asked and name}
    return wanted


def _passed(node: Node, given: Given, graph: Declared, out: int) -> Iterator[tuple[int, int]]:
    """Inputs that hand on what is wanted of the output, and the axis on which they have it."""
    if node.op == "Transpose":
        perm = permutation(node, given, graph) or ()
        if -len(perm) <= out < len(perm):
            yield 0, perm[out]
    for at, one in enumerate(given if node.op in SAME | KEEPS else ()):
        apart = out >= 0 and one.rank != given[0].rank
        if not apart and (not one.constant or (at == 0 and node.op in PLAIN)):
            yield at, out
