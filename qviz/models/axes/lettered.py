"""Sums of products whose axes are letters: where Einsum takes channels, and where it puts them."""

from __future__ import annotations

from collections.abc import Iterator

from qviz.models.axes.layouts import Laid, unknown
from qviz.models.axes.mixing import Given
from qviz.models.declared import Declared
from qviz.sources.onnx.records import Node

Terms = tuple[list[str], str]  # letters of the inputs, and of the output
REST = "..."  # axes without a letter


def lettered(node: Node, given: Given, graph: Declared) -> Laid:
    """Channels are the last letter that a weight brings into the output.

    Without such a letter they stay where they were in the first input that has any.
    """
    terms = _terms(node, graph)
    if terms is None:
        return Laid()
    inputs, out = terms
    pair = _pair(given, inputs)
    made = "" if pair is None else _last(out, inputs[pair[1]], without=inputs[pair[0]])
    return Laid(_shape(given, terms), _place(made or _kept(given, inputs), out))


def taken(node: Node, given: Given, graph: Declared) -> Iterator[tuple[int, int]]:
    """Inputs, and the axes on which their channels are taken: a weight's are those it gives."""
    terms = _terms(node, graph)
    pair = None if terms is None else _pair(given, terms[0])
    if terms is None or pair is None or not given[pair[1]].constant:
        return
    (inputs, out), (value, weight) = terms, pair
    made = _last(out, inputs[weight], without=inputs[value])
    summed = "".join(c for c in inputs[value] if c in inputs[weight] and c not in out)
    for at, letter in ((value, summed[-1:]), (weight, made)):
        place = _place(letter, inputs[at])
        if place is not None:
            yield at, place


def _terms(node: Node, graph: Declared) -> Terms | None:
    """What the equation says; None where it does not fit, or leaves the output to the letters."""
    equation = graph.equations.get(node.outputs[0], "") if node.outputs else ""
    left, arrow, out = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    return (inputs, out) if arrow and len(inputs) == len(node.inputs) else None


def _pair(given: Given, inputs: list[str]) -> tuple[int, int] | None:
    """Of two inputs what comes in and what it is multiplied by: the constant one, or the second."""
    if len(inputs) != 2 or len(given) != 2:
        return None
    return (1, 0) if given[0].constant and not given[1].constant else (0, 1)


def _last(out: str, term: str, without: str) -> str:
    found = [c for c in out if c.isalpha() and c in term and c not in without]
    return found[-1] if found else ""


def _kept(given: Given, inputs: list[str]) -> str:
    """The letter of the channels that come in."""
    for one, term in zip(given, inputs, strict=False):
        if one.axis is not None and not one.constant:
            letters = term.partition(REST)[0] if one.axis >= 0 else term.rpartition(REST)[2]
            if -len(letters) <= one.axis < len(letters):
                return letters[one.axis]
    return ""


def _place(letter: str, term: str) -> int | None:
    """The axis of a letter; behind axes without one it counts from the last."""
    before, found, _ = term.partition(letter) if letter.isalpha() else ("", "", "")
    if not found:
        return None
    return len(before) if REST not in before else term.index(letter) - len(term)


def _shape(given: Given, terms: Terms) -> tuple[int | str, ...] | None:
    if any(REST in term for term in (*terms[0], terms[1])):
        return None
    lengths: dict[str, int | str] = {}
    for one, term in zip(given, terms[0], strict=False):
        lengths |= dict(zip(term, one.shape or (), strict=False))
    return tuple(lengths.get(c) or unknown() for c in terms[1])
