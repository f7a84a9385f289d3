"""Which axes of images hold places, whose largest magnitudes are no property of channels."""

from __future__ import annotations

import numpy as np

from qviz.pipeline.channel_facts import NEAR_DEAD, median_of

KERNEL = 11  # elements of a side, up to which an axis is one of a convolution's kernel
UNLIKE = 6.0  # how far apart rows of images are to tell of places
SMOOTH = 0.5  # of what any two differ, below which neighbours are alike, as places are
FAINT = 2.0  # log2 of times below the median, from which both ends are borders
FEWEST = 8  # indices of an axis, from which their order says something


def places(largest: tuple[np.ndarray, ...], found: np.ndarray) -> np.ndarray:
    """The axes of images that hold places: axis 2, and the one of 1 and 3 that goes with it.

    It is the one as long as axis 2, the last of two such; else the one whose neighbours are more
    alike. They hold places where axis 2 differs, or where neighbours are alike: along either of
    two axes of the same length, along both of others, unless one has borders. Kernels have none.
    """
    shape, there = [len(amax) for amax in largest], np.zeros(len(largest), bool)
    if len(shape) != 4 or shape[2] <= KERNEL or shape[0] == shape[1] <= KERNEL:
        return there
    rough = [roughness(amax) for amax in largest]
    same = [axis for axis in (3, 1) if shape[axis] == shape[2]]
    twin = same[0] if same else min((3, 1), key=lambda axis: rough[axis])
    alike = [rough[axis] < SMOOTH for axis in (2, twin)]
    there[2] = found[2] > UNLIKE or any(alike)
    there[twin] = there[2] if same else all(alike) or rough[twin] == 0
    return there


def roughness(amax: np.ndarray) -> float:
    """How much neighbours differ over how much any two do, in logarithms; 1 where order is chance.

    The last is the first one's neighbour, so that a loud channel differs from two wherever it is.
    1 too where no channel is twice as large as another; 0 where both ends are faint and nothing
    between them is, as borders of images are.
    """
    least = 2 * NEAR_DEAD * median_of(amax / 2)
    if len(amax) < FEWEST or not least > 0:
        return 1.0
    logs = np.log2(np.maximum(amax, least))
    ranked, count = np.sort(logs), len(logs)
    if ranked[-1] - ranked[0] < 1:
        return 1.0
    faint = logs < np.median(logs) - FAINT
    if faint[0] and faint[-1] and np.diff(faint).sum() == 2:
        return 0.0
    weights = 2 * np.arange(count) - count + 1  # sum over pairs of their difference
    usual = 2 * float(weights @ ranked) / (count * (count - 1))
    return float(np.abs(logs - np.roll(logs, 1)).mean()) / usual
