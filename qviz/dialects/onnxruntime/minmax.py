"""ONNX Runtime's min-max calibrator, plain and as a moving average over collect calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.dialects.onnxruntime.dialect import CALIBRATER
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import PerBatch, Seen
from qviz.stats.minmax import MinMax, MinMaxState

BATCHES = PerBatch(MinMax())
Ends = tuple[np.ndarray, np.ndarray]


def refusal(target: Target) -> str | None:
    """Why the min-max calibrator cannot serve, or None."""
    if target.granularity.kind not in ("per_tensor", "per_channel"):
        return "ONNX Runtime's min-max calibrator knows ranges per tensor and per channel"
    return None


@np.errstate(all="ignore")
def one_call(batches: Sequence[MinMaxState], symmetric: bool, averages: bool = False) -> Ends:
    """Minimum and maximum of one collect call, float32 (groups,); symmetric ones: -m, m.

    Over its batches the extremes count, or their plain averages.
    """
    lows, highs = (np.stack([getattr(b, end) for b in batches]) for end in ("lo", "hi"))
    lows, highs = lows.astype(np.float32), highs.astype(np.float32)
    if averages:
        lo, hi = lows.mean(axis=0), highs.mean(axis=0)
    else:
        lo, hi = lows.min(axis=0), highs.max(axis=0)
    if not symmetric:
        return lo, hi
    most = np.where(lo <= hi, np.maximum(np.abs(lo), np.abs(hi)), hi)
    return -most, most


def averaged(path: list[Ends], averaging_constant: float) -> list[Ends]:
    """Running range after each call: range += c * (new - range) in float32; the first is copied."""
    c, out = np.float32(averaging_constant), path[:1]
    with np.errstate(all="ignore"):
        for new in path[1:]:
            lo, hi = (old + c * (end - old) for old, end in zip(out[-1], new, strict=True))
            out.append((lo, hi))
    return out


def checked(lo: np.ndarray, hi: np.ndarray, batches: tuple[MinMaxState, ...]) -> Range:
    """The range. Groups without a finite element keep +inf, -inf.

    Raises
    ------
    InvalidValue
        An element, or an end in float32, is NaN or infinite.
    """
    odd = sum(state.nan + state.plus_inf + state.minus_inf for state in batches)
    seen = sum(state.n for state in batches) > 0
    if np.any(odd) or not (np.isfinite(lo) & np.isfinite(hi))[seen].all():
        raise InvalidValue(
            "NaN or infinite elements, or ends beyond float32.",
            "ONNX Runtime would carry them into the scale.",
            "Remove such elements, or choose another observer.",
        )
    return Range(lo, hi)


@OBSERVERS.register("ort.minmax", title="ORT MinMax", source=CALIBRATER, golden="own")
@dataclass(frozen=True)
class OrtMinMax(Observer):
    """lo, hi = float32 min x, max x over all batches; symmetric: -m, m with m = max|x|.

    Differs: the range is not widened to hold 0 here, but where the scale is made.
    """

    symmetric: bool = knob(False, help="the same to both sides of 0")

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def accepts(self, target: Target) -> str | None:
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        return checked(*one_call(seen[BATCHES], self.symmetric), seen[BATCHES])


@OBSERVERS.register(
    "ort.moving_average", title="ORT Moving avg.", source=CALIBRATER, golden="moving_average.ort"
)
@dataclass(frozen=True)
class OrtMovingAverage(Observer):
    """range += averaging_constant * (range of the call - range), in float32.

    A batch is one collect call; the first one sets the range. Inside a call ONNX Runtime
    averages its batches plainly.
    """

    averaging_constant: float = knob(0.01, low=0.0, high=1.0, help="share of each new call")
    symmetric: bool = knob(False, help="the same to both sides of 0, call by call")

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def accepts(self, target: Target) -> str | None:
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        return checked(*averaged(self._calls(seen), self.averaging_constant)[-1], seen[BATCHES])

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        batches = self._calls(seen)
        path = averaged(batches, self.averaging_constant)
        if len(path) < 2:
            return None
        names = (("batch min", "batch max"), ("lo", "hi"))
        curves = {
            name: np.array([ends[side][0] for ends in ranges], np.float64)
            for ranges, pair in zip((batches, path), names, strict=True)
            for side, name in enumerate(pair)
        }
        if not all(np.isfinite(curve).all() for curve in curves.values()):
            return None
        words = (
            f"Each collect call moves the range by {self.averaging_constant:g} of the way "
            "to its own extremes."
        )
        x = np.arange(1, len(path) + 1)
        return Decision("batch", "tensor value", x, curves, (float(len(path)),), words)

    def _calls(self, seen: Seen) -> list[Ends]:
        return [one_call([batch], self.symmetric) for batch in seen[BATCHES]]
