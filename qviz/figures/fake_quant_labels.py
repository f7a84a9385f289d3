"""Where the names of gradients stand: over the part of the axis on which they act."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.figures.labels import CHARACTER
from qviz.pipeline.training_gradients import Portrait

PLOT = 268  # pixels of a small multiple's plot
SPACE = 7  # pixels between two names


def acting(shown: Portrait, view: tuple[float, float]) -> list[float]:
    """Share of the view at which x's, then each parameter's, gradient is largest.

    Two parameters that act on both sides stand on different ones.
    """
    inside = _passing(shown, view)
    found = [_share(inside, view)]
    free = [_share(run, view) for run in shown.blocked]
    for x, y in shown.parameters.values():
        at = float(x[int(np.argmax(np.abs(y)))])
        wanted = _share((at, at), view)
        if free:
            wanted = min(free, key=lambda share: abs(share - wanted))
            free.remove(wanted)
        found.append(wanted)
    return found


def placed(names: Sequence[str], wanted: Sequence[float]) -> list[float]:
    """Centres of the names as shares of the plot, near those wanted, none over another."""
    half = [(CHARACTER * len(name)) / 2 for name in names]
    order = sorted(range(len(names)), key=lambda i: wanted[i])
    centres = [0.0] * len(names)
    edge = 0.0
    for i in order:  # to the right as far as the one before needs
        centres[i] = max(wanted[i] * PLOT, edge + half[i])
        edge = centres[i] + half[i] + SPACE
    edge = float(PLOT)
    for i in reversed(order):  # and back where the last one would leave the plot
        centres[i] = min(centres[i], edge - half[i])
        edge = centres[i] - half[i] - SPACE
    return [centre / PLOT for centre in centres]


def _passing(shown: Portrait, view: tuple[float, float]) -> tuple[float, float]:
    """The widest stretch of the view where x has a gradient; all of it where there is none."""
    edges = sorted([view[0], *(end for run in shown.blocked for end in run), view[1]])
    gaps = list(zip(edges[::2], edges[1::2], strict=True))
    return max(gaps, key=lambda gap: gap[1] - gap[0]) if shown.blocked else view


def _share(run: tuple[float, float], view: tuple[float, float]) -> float:
    low, high = (min(max(end, view[0]), view[1]) for end in run)
    return ((low + high) / 2 - view[0]) / (view[1] - view[0])
