"""What the page looks at: the whole tensor, one slice of an axis, or typed values."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.sources.base import TensorInfo, TensorSource
from qviz.spec import Granularity
from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.sketch import Sketch
from qviz.ui.choice import Choice
from qviz.ui.library import Item
from qviz.ui.state import gathered, store
from qviz.xp import Array

MOST_TYPED = 4096
SAMPLE = 65_536  # elements looked at where each needs a look of its own
FEW = 4_096
BETWEEN = re.compile(r"[\s,;]+")


@dataclass(frozen=True, eq=False)
class Subject:
    """A choice whose elements share one range; ``words`` say what they are."""

    choice: Choice
    words: str

    @property
    def facts(self) -> MinMaxState:
        """Extremes and counts of the one group."""
        return gathered(self.choice, (MinMax(),))[MinMax()]

    @property
    def cells(self) -> Cells:
        """Its distribution."""
        return gathered(self.choice, (Sketch(16),))[Sketch(16)].cells

    @property
    def finite(self) -> int:
        """Number of finite elements."""
        return int(self.facts.finite.sum())

    @property
    def extremes(self) -> tuple[float, float]:
        """Smallest and largest finite element; 0 and 0 without one."""
        if not self.finite:
            return 0.0, 0.0
        return float(self.facts.lo[0]), float(self.facts.hi[0])

    def under(self, target: Target) -> Choice:
        """The choice under other codes or another mode; its one group stays one."""
        granularity = self.choice.target.granularity
        return replace(self.choice, target=replace(target, granularity=granularity))

    def sample(self, most: int = SAMPLE) -> np.ndarray:
        """At most so many finite elements, evenly spaced; float32 (n,)."""
        key = (self.choice.key, "tf sample", most)
        kept = store().get(key)
        if kept is None:
            kept = _sample(self.choice.item.array(), most)
            store().put(key, kept)
        return kept


def _sample(x: Array, most: int) -> np.ndarray:
    flat = x.reshape(-1)
    found = _finite(flat[:: max(1, math.ceil(xp.size(flat) / most))])
    return found if found.size else _finite(flat)[:most]


def _finite(x: Array) -> np.ndarray:
    found = xp.host(xp.astype(x, "float32"))
    return found[np.isfinite(found)]


class _Held(TensorSource):
    """One array in memory, as a source."""

    title = "TF Quantize"
    skipped: Mapping[str, str] = MappingProxyType({})

    def __init__(self, info: TensorInfo, x: Array) -> None:
        self._info, self._x = info, x

    @property
    def infos(self) -> dict[str, TensorInfo]:
        """The one tensor."""
        return {self._info.name: self._info}

    def read(self, name: str) -> Array:
        """Its elements."""
        return self._x


def whole(choice: Choice) -> Subject:
    """All elements of the tensor, under one range."""
    x = choice.item.array().reshape(-1)
    return Subject(_choice(choice, x, "all", Granularity()), choice.about)


def one_slice(choice: Choice, axis: int, index: int) -> Subject:
    """The elements of one slice of an axis: one range of as many as the axis is long."""
    x = xp.namespace(choice.item.array()).moveaxis(choice.item.array(), axis, 0)[index]
    held = _choice(choice, x.reshape(1, -1), f"{axis}:{index}", Granularity("per_channel", 0))
    extent = choice.item.info.shape[axis]
    return Subject(held, f"{choice.about}, slice {index} of {extent:,} along axis {axis}")


def typed(choice: Choice, text: str) -> Subject:
    """Numbers that were typed in.

    Raises
    ------
    QvizError
        See ``numbers``.
    """
    x = numbers(text)
    mark = hashlib.blake2b(x.tobytes(), digest_size=8).hexdigest()
    if choice.target.granularity.kind == "per_channel":
        held = _choice(choice, x.reshape(1, -1), mark, Granularity("per_channel", 0))
    else:
        held = _choice(choice, x, mark, Granularity())
    return Subject(held, "Typed by hand")


def numbers(text: str) -> np.ndarray:
    """Numbers between blanks, commas or semicolons, float32 (n,).

    Raises
    ------
    QvizError
        None, too many, or a word that is no finite number.
    """
    words = [word for word in BETWEEN.split(text.replace("\u2212", "-")) if word]
    if not 0 < len(words) <= MOST_TYPED:
        raise QvizError(f"{len(words):,} numbers were typed.", f"1 to {MOST_TYPED:,} are taken.")
    found = [_number(word) for word in words]
    return np.array(found, np.float32)


def _number(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not abs(value) <= float(np.finfo(np.float32).max):
        raise QvizError(
            f"{word[:20]!r} is no number of float32.", "", "Write 0.5, -1e-3 and so on."
        )
    return value


def _choice(choice: Choice, x: Any, mark: str, granularity: Granularity) -> Choice:
    info = choice.item.info
    fingerprint = f"{info.fingerprint} {mark}"
    name = xp.dtype_name(x)
    held = TensorInfo(info.name, tuple(x.shape), name, fingerprint, info.role)
    item = Item(choice.item.id, choice.item.label, held, _Held(held, x), private=True)
    return Choice(item, replace(choice.target, granularity=granularity), None, choice.role)
