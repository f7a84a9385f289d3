"""MindSpore's own name and arguments: FakeQuantWithMinMaxObserver."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from qviz.dialects.mindspore.arrays import copied, given, returned, rows_of
from qviz.dialects.mindspore.errors import MindSporeValueError
from qviz.dialects.mindspore.gradients import Gradients, Pass
from qviz.dialects.mindspore.quant_dtype import QuantDtype, quant_dtype_of
from qviz.dialects.mindspore.reading import Pair
from qviz.dialects.mindspore.rules import rule_of
from qviz.dialects.mindspore.settings import (
    Settings,
    check_channels,
    check_delay,
    check_initial,
    initial_range,
    reading_and_kind,
)
from qviz.xp import Array


class FakeQuantWithMinMaxObserver:
    """Fake quantization with a range that is observed, or learned.

    The arguments are those of ``mindspore.nn.FakeQuantWithMinMaxObserver``. ``reading`` says
    whose arithmetic: ``doc``, the documented formulas; ``gpu``, the CUDA kernels; ``ascend``, the
    Ascend graphs. ``precision`` is ``f32`` as there, or ``f64`` for study. A fresh object is in
    evaluation mode and quantizes with [min_init, max_init]; see ``set_train``. All readings are
    derived from formulas: none of these operators runs on a CPU.

    Attributes
    ----------
    minq, maxq : numpy.ndarray
        The range, (1,) or (num_channels,), of the working type.
    quant_max : numpy.ndarray
        LEARNED_SCALE only: the largest code, (1,).
    training : bool
        Whether a call moves the range first.

    Raises
    ------
    QvizError
        A child that is also a TypeError, ValueError or AttributeError, as MindSpore raises.
    """

    def __init__(
        self,
        min_init: float | list[float] = -6,
        max_init: float | list[float] = 6,
        ema: bool = False,
        ema_decay: float = 0.999,
        per_channel: bool = False,
        channel_axis: int = 1,
        num_channels: int = 1,
        quant_dtype: Any = QuantDtype.INT8,
        symmetric: bool = False,
        narrow_range: bool = False,
        quant_delay: int = 0,
        neg_trunc: bool = False,
        mode: str = "DEFAULT",
        *,
        reading: str = "doc",
        precision: str = "f32",
    ) -> None:
        check_initial("min_init", min_init)
        check_initial("max_init", max_init)
        check_delay(quant_delay)
        self.quant_dtype = quant_dtype_of(quant_dtype)
        self._settings = Settings(
            ema,
            ema_decay,
            per_channel,
            channel_axis,
            num_channels,
            symmetric,
            narrow_range,
            quant_delay,
            neg_trunc,
            *reading_and_kind(reading, precision),
        )
        check_channels(self._settings)
        self.min_init, self.max_init, self.mode = min_init, max_init, mode
        ends = initial_range(min_init, max_init, self._settings)
        self._rule = rule_of(mode)
        self._rule.check(self._settings, self.num_bits)
        self._start(ends)
        self.training = False
        self._passes: Counter[str] = Counter()  # forward and backward count apart

    @property
    def num_bits(self) -> int:
        """Bits of quant_dtype."""
        return self.quant_dtype.num_bits

    def quantizer(self, groups: int | None = None, *, registered: bool = False) -> Any:
        """The qparams of the range as it stands, of the first ``groups`` channels.

        ``registered``: those of the gradient as MindSpore registers it; None under doc.
        """
        running = self.minq[:groups], self.maxq[:groups]
        made = self._rule.registered if registered else self._rule.quantizer
        return made(self._settings, self.num_bits, running)

    def set_train(self, mode: bool = True) -> FakeQuantWithMinMaxObserver:
        """Switch to training, or with False to evaluation; gives the object itself."""
        self.training = bool(mode)
        return self

    def __call__(self, x: Array) -> Array:
        """``x`` fake-quantized; in training the range moves first.

        Type and shape of ``x`` are kept (with ``precision="f64"`` the type is float64).
        """
        x = given(x)
        rows = rows_of(x, self._settings)
        if self.training:
            self._observe(rows)
        delayed = self._delayed("forward")
        out = copied(rows) if delayed else self.quantizer(rows.shape[0]).fake_quantize(rows)
        return returned(out, x, self._settings)

    def gradients(self, x: Array, dout: Array) -> Gradients:
        """Gradients of the call on ``x``, for the upstream gradient ``dout``.

        To be asked for after the call: the range is the one that it left behind.
        """
        x, dout = given(x), given(dout)
        if tuple(x.shape) != tuple(dout.shape):
            raise MindSporeValueError(
                f"x has shape {tuple(x.shape)}, dout {tuple(dout.shape)}.", "They must agree."
            )
        rows, grad = rows_of(x, self._settings), rows_of(dout, self._settings)
        kept = self.quantizer(rows.shape[0], registered=True)
        back = Pass(rows, grad, dout, self._settings)
        if self._delayed("backward"):
            return back.passed(kept)
        return back.through(self.quantizer(rows.shape[0]), kept)

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """(scale, zero point) for deployment, one per channel; the zero point is int32.

        DEFAULT: float64 on the signed codes, zero_point = half-even round(quant_min - min/scale),
        0 where symmetric; scale 1 where min equals max everywhere. LEARNED_SCALE: maxq/quant_max.
        """
        return self._rule.export(self._settings, self.num_bits, (self.minq, self.maxq))

    def reset(
        self,
        quant_dtype: Any = QuantDtype.INT8,
        min_init: float | list[float] = -6,
        max_init: float | list[float] = 6,
    ) -> None:
        """Set quant_max, minq and maxq anew; LEARNED_SCALE only.

        Raises
        ------
        MindSporeValueError
            In DEFAULT mode, or where max_init is not above min_init: the attributes have then
            changed, as they do there, while minq, maxq and quant_max have not.
        """
        if self.mode != "LEARNED_SCALE":
            raise MindSporeValueError(
                "reset() is for LEARNED_SCALE only.", f"This is {self.mode}.", "Construct anew."
            )
        self.quant_dtype = quant_dtype_of(quant_dtype)
        self.min_init = 0 if self._settings.neg_trunc else min_init
        self.max_init = max_init
        ends = initial_range(self.min_init, self.max_init, self._settings)
        self._rule.check(self._settings, self.num_bits)
        self._start(ends)

    def _start(self, ends: Pair) -> None:
        kind = self._settings.kind
        start = self._rule.start(self._settings, ends)
        self.minq, self.maxq = (end.astype(kind) for end in start)
        top = self._rule.top(self._settings, self.num_bits)
        self.quant_max = None if top is None else np.array([top], kind)

    def _observe(self, rows: Array) -> None:
        groups = rows.shape[0]
        running = self.minq[:groups], self.maxq[:groups]
        moved = self._rule.update(self._settings, running, rows)
        self.minq, self.maxq = (
            np.concatenate([new, old[groups:]])
            for new, old in zip(moved, (self.minq, self.maxq), strict=True)
        )

    def _delayed(self, pass_name: str) -> bool:
        """Whether quant_delay holds this pass back; counts it, in training."""
        if not (self.training and self._settings.reading.delays):
            return False
        self._passes[pass_name] += 1
        return self._passes[pass_name] <= self._settings.quant_delay
