"""How much work the trials of a model are: their steps, and about how long they take."""

from __future__ import annotations

import math

PATHS = 64  # tensors up to which the path through the network is walked
BUT = 16  # tensors up to which it is walked once more without each of them
STARTING = 2.0  # seconds before the first trial


def pieces_of(points: int) -> int:
    """Into how many parts that many tensors go: each costs some three runs, and spares some."""
    return max(1, round(math.sqrt(points / 6)))


def steps_of(points: int) -> int:
    """Steps that so many tensors take: each alone, up to it, and all but it."""
    return points * (1 + (points <= PATHS) + (points <= BUT))


def seconds_of(points: int, run: float) -> float:
    """About how long the trials of so many tensors take when one run of all batches takes ``run``.

    Each alone takes the end of the network, half of it in the mean; the others take all of it.
    """
    parts = pieces_of(points)
    runs = points * (parts + 1) / (2 * parts) + 6 * parts
    runs += points * ((points <= PATHS) + (points <= BUT) * points / 2)
    return STARTING + runs * run
