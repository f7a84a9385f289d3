"""Recorded vectors of MindSpore, played through the door."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects import REPLAYS, Case, Check
from qviz.dialects.mindspore.default import DefaultQuantizer
from qviz.dialects.mindspore.dialect import DOCUMENT
from qviz.dialects.mindspore.door import FakeQuantWithMinMaxObserver
from qviz.dialects.mindspore.gradients import Gradients
from qviz.quantizers.base import Quantizer
from qviz.spec import PER_TENSOR, Granularity

QPARAMS = ("scale", "zero_point", "u_min", "u_max")
HALF_WAY = 1e-5  # steps: so near to half-way between two levels float32 may choose either
SATURATED = 2.0**-126  # the difference from which on Ascend's comparison of two numbers says 1


@REPLAYS.register(
    "mindspore.mindspore.FakeQuantWithMinMaxObserver", title="Fake quantization", source=DOCUMENT
)
def play(case: Case) -> Iterator[Check]:
    """All readings and precisions of one observer."""
    for key, recorded in case["expected"].items():
        reading, precision = key.split("/")
        yield from _Play(case, reading, precision, recorded).checks()


class _Play:
    """One observer taken through the steps of a case, with its float64 twin beside it."""

    def __init__(
        self, case: Case, reading: str, precision: str, recorded: Mapping[str, Any]
    ) -> None:
        given = dict(case["params"])
        training = given.pop("training", True)
        self.case, self.recorded, self.exact = case, recorded, precision == "f64"
        self.prefix = f"{reading}/{precision}: "
        self.observer, self.twin = (
            FakeQuantWithMinMaxObserver(**given, reading=reading, precision=p).set_train(training)
            for p in (precision, "f64")
        )
        axis = 0 if reading == "gpu" else given["channel_axis"]
        self.granularity = Granularity("per_channel", axis) if given["per_channel"] else PER_TENSOR
        self.reading, self.left = reading, set(recorded)

    def checks(self) -> Iterator[Check]:
        xs, douts = (_steps(self.case[name]) for name in ("inputs", "upstream_gradients"))
        for step, (x, dout) in enumerate(zip(xs, douts, strict=True)):
            yield from self._step(str(step), x, dout)
        scale, zero = self.observer.export()
        yield from self._recorded("export_scale", scale)
        yield from self._recorded("export_zp", zero)
        yield from self._recorded("quant_max", self.observer.quant_max)
        for name in self.left:
            yield Check(self.prefix + name, "not computed", "recorded")

    def _step(self, step: str, x: np.ndarray, dout: np.ndarray) -> Iterator[Check]:
        given, upstream = self.case.array(x), self.case.array(dout)
        out = self.observer(given)
        self.twin(x)
        gradients = self.observer.gradients(given, upstream)
        groups = self.granularity.groups(x.shape)
        yield from self._recorded(f"out{step}", out, self._either_level(x, groups))
        yield from self._gradients(step, gradients, x, dout)
        for name in ("minq", "maxq"):
            yield from self._recorded(name + step, getattr(self.observer, name)[:groups])
        made = self.observer.quantizer(groups)
        for name in QPARAMS:
            yield from self._recorded(name + step, getattr(made, name, None))

    def _gradients(
        self, step: str, got: Gradients, x: np.ndarray, dout: np.ndarray
    ) -> Iterator[Check]:
        groups = self.granularity.groups(x.shape)
        for name in ("dx", "dx_framework"):
            used = self.observer.quantizer(groups, registered=name != "dx")
            either = self._either_share(used, x, dout)
            yield from self._recorded(name + step, getattr(got, name), either)
        free = 1e-15 * np.abs(dout).sum()  # the order in which the terms are added
        yield from self._recorded(f"dmaxq{step}", got.dmaxq[:groups], free)

    def _recorded(self, name: str, got: Any, atol: Any = 0.0) -> Iterator[Check]:
        """2 units in the last place of float32, or 1e-12 relative in float64; NaN is NaN."""
        if name not in self.left:
            return
        self.left.remove(name)
        want, rtol = self.recorded[name], 1e-12 if self.exact else 0.0
        ulps = 0 if self.exact else 2
        yield Check(
            self.prefix + name, got, want, ulps=ulps, rtol=rtol, atol=atol, signed_zero=False
        )

    @np.errstate(all="ignore")
    def _either_level(self, x: np.ndarray, groups: int) -> np.ndarray | float:
        """One step where the float64 value is half-way between two levels, else 0."""
        if self.exact:
            return 0.0
        grid, rows = self.twin.quantizer(groups), self.granularity.rows(x).astype(np.float64)
        step = xp.like(grid.step, rows, "float64")
        below, above = (grid.quantize(rows + side * HALF_WAY * step) for side in (-1, 1))
        allowed = np.where(below == above, 0.0, np.broadcast_to(np.abs(step), rows.shape))
        return self.granularity.restore(allowed, x)

    @np.errstate(all="ignore")
    def _either_share(
        self, used: Quantizer | None, x: np.ndarray, dout: np.ndarray
    ) -> np.ndarray | float:
        """All of the gradient where Ascend itself lets only a share of it pass, else 0.

        It does so inside the limits, nearer to one than 2^-126. The recorded numbers are not
        those of its graph there.
        """
        if self.reading != "ascend" or not isinstance(used, DefaultQuantizer):
            return 0.0
        rows = self.granularity.rows(x).astype(used.u_min.dtype)
        low, high = (xp.like(end, rows, rows.dtype.name) for end in (used.u_min, used.u_max))
        near = np.minimum(rows - low, high - rows)
        shared = self.granularity.restore((near > 0) & (near < SATURATED), x)
        return np.where(shared, np.abs(dout), 0.0)


def _steps(given: Any) -> list[np.ndarray]:
    """Steps of a case: a list of them, or the one under its name."""
    return given if isinstance(given, list) else list(given.values())
