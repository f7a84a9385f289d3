"""The tensor as this page needs it: its extremes, a bounded sample, one element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from qviz import xp
from qviz.errors import QvizError
from qviz.figures.numbers import integer
from qviz.pipeline.training_gradients import Sums, summed
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer
from qviz.spec import PER_TENSOR
from qviz.stats.minmax import MinMax
from qviz.stats.sample import Sample, SampleState
from qviz.ui.choice import Choice
from qviz.ui.state import gathered, store
from qviz.ui.words import term

FLOAT32_MAX = float(np.finfo(np.float32).max)
MOST = 65_536  # values a sum is taken over unasked
INSTEAD = (-1.0, 1.0)  # where there is no finite element to take a range from


@dataclass(frozen=True, eq=False)
class Values:
    """Finite values with their weights, (n,) each; ``exact`` where they are all of the tensor.

    ``lo`` and ``hi`` are the tensor's extremes, ``span`` the same or None without any; ``words``
    say what was left out.
    """

    lo: float
    hi: float
    span: tuple[float, float] | None
    values: np.ndarray
    weights: np.ndarray
    exact: bool
    words: str


def whole(choice: Choice) -> Choice:
    """The same choice with all elements in one group."""
    return replace(choice, target=replace(choice.target, granularity=PER_TENSOR))


def values(choice: Choice, most: int = MOST) -> Values:
    """The tensor's extremes and at most about ``most`` of its values, from the store."""
    recipe = Sample(most)
    seen = gathered(whole(choice), (MinMax(), recipe))
    ends, sample = seen[MinMax()], seen[recipe]
    odd = int((ends.n - ends.finite).sum())
    said = f" {integer(odd)} values that are not finite are left out." if odd else ""
    if not ends.finite.any():
        said = " There is no finite value: the range is [−1, 1] unless another is typed."
        return Values(*INSTEAD, None, np.empty(0, np.float32), np.empty(0), True, said)
    lo, hi = held_by_float32(float(ends.lo[0]), float(ends.hi[0]))
    found, weights, exact = _drawn(sample, most)
    found = np.clip(found, lo, hi).astype(np.float32)
    return Values(lo, hi, (lo, hi), found, weights, exact, said)


def held_by_float32(lo: float, hi: float) -> tuple[float, float]:
    """Both ends, where float32 holds them."""
    if not max(-lo, hi) <= FLOAT32_MAX:
        raise QvizError(
            f"The values reach from {lo:.3g} to {hi:.3g}.",
            "Fake quantization computes in float32, which does not hold them.",
            "Scale the tensor down, or choose another.",
        )
    return lo, hi


def _drawn(sample: SampleState, most: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Values, weights, and whether they are all of the tensor."""
    if not sample.cells.exact:
        return *_with_tails(sample), bool(sample.exact[0])
    values, place = np.unique(sample.cells.lo[0], return_inverse=True)
    if values.size > most:
        kept = sample.weights[0] > 0
        return sample.values[0][kept], sample.weights[0][kept], False
    counts = np.bincount(place, sample.cells.count[0], values.size)
    return values[counts > 0], counts[counts > 0], True


def _with_tails(sample: SampleState) -> tuple[np.ndarray, np.ndarray]:
    """Sampled values and, of cells too rare to be drawn from, the middles; every cell counts full.

    So the sample has the tails, and as many elements in each cell as the tensor.
    """
    kept, cells = sample.weights[0] > 0, sample.cells
    values, weights = sample.values[0][kept], sample.weights[0][kept]
    lo, hi, count = cells.lo[0], cells.hi[0], cells.count[0].astype(np.float64)
    cell = np.searchsorted(hi, values.astype(hi.dtype))
    drawn = np.bincount(cell, weights, count.size)
    rare = (drawn == 0) & (count > 0)
    weights = weights * count[cell] / drawn[cell]
    return np.append(values, (lo + hi)[rare] / 2), np.append(weights, count[rare])


def sums(
    choice: Choice,
    mode: Mode,
    quantizer: Quantizer,
    sampled: Values,
    asked: tuple[float, float],
    exact: bool,
) -> Sums:
    """Sums over the sample, or (``exact``) over every finite element, kept in the store."""
    if not exact:
        return summed(quantizer, [(sampled.values, sampled.weights)])
    key = (whole(choice).key, "gradient sums", QUANTIZERS.spell(mode), choice.target.spec, asked)
    found = store().get(key)
    if found is None:
        found = summed(quantizer, ((part, 1.0) for part in _finite(choice)))
        store().put(key, found)
    return found


def _finite(choice: Choice) -> Iterator[np.ndarray]:
    for tile in whole(choice).stream().tiles:
        for rows in tile.chunks():
            row = xp.host(rows)[0].astype(np.float32, copy=False)
            yield row[np.isfinite(row)]


def element(choice: Choice, usual: float) -> float:
    """The value to follow: typed, else the element of a flat index, else ``usual``."""
    size = choice.item.info.size
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.number_input(
            "Follow a value", value=None, format="%g", placeholder=f"{usual:.4g}, above the range",
            key="fake_quant_value", help=term("fake_quant_value"), bind="query-params", width=240,
        )  # fmt: skip
        index = st.number_input(
            "or an element, by flat index", 0, max(size - 1, 0), None, placeholder="none",
            key=f"fake_quant_index-{choice.item.info.fingerprint}", width=240,
            help=term("fake_quant_index"), disabled=size == 0,
        )  # fmt: skip
    if typed is not None:
        return float(typed)
    if index is None or size == 0:
        return usual
    array = choice.item.array()
    where = np.unravel_index(int(index), tuple(array.shape))
    return float(xp.host(xp.astype(array[where].reshape(1), "float64"))[0])
