"""Operations that move axes, or cut and join them: where channels lie behind them."""

from __future__ import annotations

from collections.abc import Collection

from qviz.models.axes.layouts import Laid, carried, divided, filled, flat, loose, told, united
from qviz.models.axes.mixing import Given, same
from qviz.models.declared import MOST, Declared, Shape
from qviz.sources.onnx.records import Node

JOINS = ("Concat",)  # of as many axes each
KEEPS = frozenset("Concat Split Slice Pad Resize Upsample Tile TopK Compress QLinearConcat".split())


def keeps(node: Node, given: Given, graph: Declared) -> Laid:
    """As many axes, of other lengths."""
    one = next((one for one in given if one.axis is not None), (*given, Laid())[0])
    alike = given if node.op in JOINS else ()
    rank = next((each.rank for each in (one, *alike) if each.rank is not None), None)
    return Laid(loose(rank), one.axis)


def expand(node: Node, given: Given, graph: Declared) -> Laid:
    """As if what comes in met something of the wider shape."""
    return same(node, [*given[:1], Laid(_list(node, graph))], graph)


def permutation(node: Node, given: Given, graph: Declared) -> tuple[int, ...] | None:
    """The order of axes that a Transpose gives; None where it is not told."""
    perm, rank = _list(node, graph), (*given, Laid())[0].rank
    if perm is None and rank is not None:
        perm = tuple(reversed(range(rank)))
    fits = perm is not None and sorted(perm) == list(range(len(perm))) and rank in (None, len(perm))
    return perm if fits else None


def transpose(node: Node, given: Given, graph: Declared) -> Laid:
    """Axes in another order."""
    perm, one = permutation(node, given, graph), (*given, Laid())[0]
    if perm is None:
        return Laid()
    shape = one.shape or loose(len(perm)) or ()
    place = Laid(shape, one.axis).place
    return Laid(tuple(shape[at] for at in perm), perm.index(place) if place in perm else None)


def reshape(node: Node, given: Given, graph: Declared) -> Laid:
    """Channels stay one axis where no other is mixed with them.

    Of an axis that is cut into several, as into heads, the last holds them: tokens never do.
    Several that are joined again hold them together.
    """
    one = (*given, Laid())[0]
    after, place = _after(node, one, graph), one.place
    if after is None or one.shape is None or place is None:
        return Laid(after)
    found = (how(one.shape, place, after) for how in (carried, divided, united))
    return Laid(after, next((at for at in found if at is not None), None))


def _after(node: Node, one: Laid, graph: Declared) -> Shape | None:
    target = _list(node, graph)
    if node.op == "Flatten":
        return None if one.shape is None else flat(one.shape, node.numbers.get("axis", 1))
    if target is not None:
        return filled(target, one.shape)
    shape = graph.shapes.get(node.outputs[0]) if node.outputs else None
    return None if shape is None else told(shape)


def squeeze(node: Node, given: Given, graph: Declared) -> Laid:
    """Without some axes: Squeeze, and what reduces and does not keep them."""
    if node.op.startswith("Reduce") and node.numbers.get("keepdims", 1):
        return keeps(node, given[:1], graph)
    one, axes = (*given, Laid())[0], _list(node, graph)
    gone = None if axes is None else _counted(axes, one.rank)
    return Laid() if gone is None else _without(one, gone)


def _without(one: Laid, gone: Collection[int]) -> Laid:
    shape, place = one.shape, one.place
    if shape is not None:
        shape = tuple(n for at, n in enumerate(shape) if at not in gone)
    if place is None or place in gone:
        return Laid(shape)
    return Laid(shape, place - sum(at < place for at in gone))


def unsqueeze(node: Node, given: Given, graph: Declared) -> Laid:
    """With more axes, of length 1."""
    one, axes = (*given, Laid())[0], _list(node, graph)
    new = None if axes is None else _counted(axes, one.rank, more=len(axes))
    if new is None:
        return Laid()
    left = [at for at in range(2 * MOST) if at not in new]
    lengths = dict(zip(left, one.shape or (), strict=False))
    known = one.shape is not None
    shape = tuple(lengths.get(at, 1) for at in range(len(lengths) + len(new))) if known else None
    return Laid(shape, None if one.place is None else left[one.place])


def gather(node: Node, given: Given, graph: Declared) -> Laid:
    """Rows of a table are features; a single one of some others is an axis less."""
    table, at = (*given, Laid(), Laid())[:2]
    axis = node.numbers.get("axis", 0)
    if table.constant and axis == 0:
        known = table.shape is not None and at.shape is not None
        return Laid((*(at.shape or ()), *(table.shape or ())[1:]) if known else None, -1)
    if at.rank == 0 and (gone := _counted((axis,), table.rank)) is not None:
        return _without(table, gone)
    return keeps(node, given[:1], graph) if at.rank == 1 else Laid()


def _counted(axes: Collection[int], rank: int | None, more: int = 0) -> frozenset[int] | None:
    """Axes counted from the first; None where those from the last cannot be."""
    if rank is None:
        return None if min(axes, default=0) < 0 else frozenset(axes)
    return frozenset(at + rank + more if at < 0 else at for at in axes)


def _list(node: Node, graph: Declared) -> tuple[int, ...] | None:
    """The whole numbers that set the operation up: a second input's, else an attribute's."""
    second = (*node.inputs, "", "")[1]
    return graph.lists.get(second, graph.lists.get(node.outputs[0]) if node.outputs else None)
