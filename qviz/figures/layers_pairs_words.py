"""Two sets of tensors side by side, in words."""

from __future__ import annotations

from qviz.figures.layers_words import called, listed
from qviz.figures.numbers import decibels, integer
from qviz.models.pairs import Pairs


def pairs_heading(found: Pairs, second: str) -> str:
    """The pair that differs most."""
    count = len(found.rows)
    if not count:
        return f"No tensor here has a namesake in {called(second)}"
    worst = found.worst_first()[0]
    if worst.sqnr is not None:
        name = called(worst.name, [row.name for row in found.rows])
        return f"{name} differs most of {integer(count)} pairs: {decibels(worst.sqnr)}"
    if all(row.same for row in found.rows):
        return f"{integer(count)} of {integer(count)} pairs are the same, bit for bit"
    same = sum(row.same for row in found.rows)
    return f"{integer(same)} of {integer(count)} pairs are the same; no other can be compared"


def pairs_caption(found: Pairs, first: str, second: str) -> str:
    """What was matched, and what found no partner."""
    same = sum(row.same for row in found.rows)
    parts = [f"{called(second)} against {called(first)}, matched by name; codes as the reals"]
    parts[0] += " they stand for."
    parts += [f"The same bit for bit: {integer(same)}."] if same else []
    for names, where in ((found.only_a, first), (found.only_b, second)):
        parts += [f"Only in {called(where)}: {listed(names)}."] if names else []
    return " ".join(parts)
