"""The ranges that FakeQuantWithMinMaxObserver holds: initial, last batch, moving average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.mindspore.dialect import DOCUMENT, GPU
from qviz.dialects.mindspore.reading import Reading
from qviz.dialects.mindspore.readings import READINGS
from qviz.dialects.mindspore.updating import (
    BATCHES,
    checked,
    extremes,
    granularity_refusal,
    last_batch,
    path,
)
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax

GOLDEN = "mindspore.FakeQuantWithMinMaxObserver:mode=DEFAULT"
DECAY = "share that documentation and Ascend leave to the running range, CUDA gives to the batch"


@OBSERVERS.register("mindspore.default", title="MS last batch", source=DOCUMENT, golden=GOLDEN)
@dataclass(frozen=True)
class LastBatch(Observer):
    """In training, without ema: lo, hi = min(min x, 0), max(max x, 0) of the last batch alone."""

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def accepts(self, target: Target) -> str | None:
        return granularity_refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        return checked(*last_batch(extremes(seen[BATCHES][-1], "float32")))


@OBSERVERS.register("mindspore.initial", title="MindSpore initial", source=DOCUMENT, golden=GOLDEN)
@dataclass(frozen=True)
class Initial(Observer):
    """In evaluation, as every Cell starts: lo, hi = min_init, max_init, whatever the data."""

    min_init: float = knob(-6.0, low=-1e30, high=1e30, help="lower end, in input units")
    max_init: float = knob(6.0, low=-1e30, high=1e30, help="upper end, in input units")

    @property
    def needs(self) -> Needs:
        return (MinMax(),)

    def accepts(self, target: Target) -> str | None:
        return ends_refusal(self.min_init, self.max_init)

    def range(self, seen: Seen, target: Target) -> Range:
        shape = seen[MinMax()].lo.shape
        ends = (np.full(shape, end, np.float32) for end in (self.min_init, self.max_init))
        return checked(*ends)


@OBSERVERS.register("mindspore.ema@doc", title="MindSpore EMA doc", source=DOCUMENT, golden=GOLDEN)
@dataclass(frozen=True)
class EmaDoc(Observer):
    """In training, with ema: new = (1 - c) * batch + c * running, c = ema_decay; so on Ascend.

    float32. The first batch is averaged with min_init and max_init, and the range holds 0.
    """

    ema_decay: float = knob(0.999, low=0.001, high=1.0, help=DECAY)
    min_init: float = knob(-6.0, low=-1e30, high=1e30, help="lower end before the first batch")
    max_init: float = knob(6.0, low=-1e30, high=1e30, help="upper end before the first batch")

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def accepts(self, target: Target) -> str | None:
        return granularity_refusal(target) or ends_refusal(self.min_init, self.max_init)

    def range(self, seen: Seen, target: Target) -> Range:
        return checked(*path(READINGS["doc"], *self._rule, seen[BATCHES])[-1])

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        return followed(READINGS["doc"], *self._rule, seen)

    @property
    def _rule(self) -> tuple[float, tuple[float, float]]:
        return self.ema_decay, (self.min_init, self.max_init)


@OBSERVERS.register("mindspore.ema@gpu", title="MindSpore EMA gpu", source=GPU, golden=GOLDEN)
@dataclass(frozen=True)
class EmaGpu(Observer):
    """In training, with ema, by the CUDA kernels: new = c * batch + (1 - c) * running.

    float32. With the default c = 0.999 the range is the last batch's but for a thousandth.
    """

    ema_decay: float = knob(0.999, low=0.001, high=1.0, help=DECAY)
    min_init: float = knob(-6.0, low=-1e30, high=1e30, help="lower end before the first batch")
    max_init: float = knob(6.0, low=-1e30, high=1e30, help="upper end before the first batch")

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def accepts(self, target: Target) -> str | None:
        return granularity_refusal(target) or ends_refusal(self.min_init, self.max_init)

    def range(self, seen: Seen, target: Target) -> Range:
        return checked(*path(READINGS["gpu"], *self._rule, seen[BATCHES])[-1])

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        return followed(READINGS["gpu"], *self._rule, seen)

    @property
    def _rule(self) -> tuple[float, tuple[float, float]]:
        return self.ema_decay, (self.min_init, self.max_init)


def ends_refusal(min_init: float, max_init: float) -> str | None:
    """Why MindSpore refuses these initial ends, or None."""
    if not np.float32(max_init) > np.float32(min_init):
        return f"max_init {max_init:g} must be greater than min_init {min_init:g}"
    return None


def followed(
    reading: Reading, decay: float, start: tuple[float, float], seen: Seen
) -> Decision | None:
    """The first group's range after each batch; None with one batch, or NaN among them."""
    states = seen[BATCHES]
    steps = path(reading, decay, start, states)
    curves = {
        "batch min": np.array([state.lo[0] for state in states]),
        "batch max": np.array([state.hi[0] for state in states]),
        "lo": np.array([lo[0] for lo, _ in steps], np.float64),
        "hi": np.array([hi[0] for _, hi in steps], np.float64),
    }
    if len(states) < 2 or not all(np.isfinite(curve).all() for curve in curves.values()):
        return None
    share = float(reading.shares(decay, "float32")[0])
    ends = f"{start[0]:g} and {start[1]:g}"
    words = f"From {ends} on, each batch moves the range by {share:g} of the way."
    x = np.arange(1, len(states) + 1)
    return Decision("batch", "tensor value", x, curves, (float(len(states)),), words)
