"""What is said of a whole model before its layers are ranked, in words."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.layers_names import called_among
from qviz.figures.numbers import decibels, integer
from qviz.models.layers import LayerRow, holding_nan

LONG = 34  # characters of a name in a heading
ON_GRID = 100.0  # dB above which nothing is left but the rounding of float32
RANKED = ("weight", "activation")


def nan_words(rows: Sequence[LayerRow]) -> str:
    """How many tensors hold NaN, and the first of them; empty without any."""
    found = holding_nan(rows)
    if not found:
        return ""
    name = called_among(found[0].name, [row.name for row in rows], LONG)
    if len(found) == 1:
        return f"{name} holds NaN"
    kind = "activations" if found[0].role == "activation" else "tensors"
    return f"{integer(len(found))} {kind} hold NaN; the first is {name}"


def grid_words(rows: Sequence[LayerRow]) -> str:
    """That all weights and activations are multiples of a step already; empty where one is not.

    Where others that have an SQNR are none, the words are of weights and activations alone.
    """
    every = [(row.sqnr, row.role) for row in rows if row.sqnr is not None]
    ranked = [one for one in every if one[1] in RANKED]
    worst = min(ranked, default=None)
    if worst is None or worst[0] <= ON_GRID:
        return ""
    kinds = " and ".join(kind for kind in RANKED if any(role == kind for _, role in ranked))
    name = "tensor" if min(every)[0] > ON_GRID else kinds
    return f"Every {name} lies on its grid: the worst has {decibels(worst[0])}"
