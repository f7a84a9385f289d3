"""PyTorch's fake-quantize modules by their own names: an observer and a fake quantization.

There is no autograd here: ``backward(grad)`` answers for the last ``forward``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.channel_fake_quantize import fake_quantize_per_channel_affine_cachemask
from qviz.dialects.pytorch.channel_observers import (
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from qviz.dialects.pytorch.errors import TorchAssertionError, TorchRuntimeError, TorchTypeError
from qviz.dialects.pytorch.fake_quantize import fake_quantize_per_tensor_affine_cachemask
from qviz.dialects.pytorch.histogram_observer import HistogramObserver
from qviz.dialects.pytorch.names import (
    FLOAT_QPARAMS,
    PER_CHANNEL,
    PER_TENSOR,
    STORAGE,
    alike,
    name_of,
)
from qviz.dialects.pytorch.observers import MinMaxObserver, MovingAverageMinMaxObserver
from qviz.dialects.pytorch.passive_observers import FixedQParamsObserver
from qviz.dialects.pytorch.with_args import Configurable, WithArgs
from qviz.xp import Array

OBSERVERS = {
    kind.__name__: kind
    for kind in (
        MinMaxObserver,
        MovingAverageMinMaxObserver,
        PerChannelMinMaxObserver,
        MovingAveragePerChannelMinMaxObserver,
        HistogramObserver,
        FixedQParamsObserver,
    )
}


class FakeQuantizeBase(Configurable):
    """Two switches, and the mask of the last forward pass."""

    def __init__(self) -> None:
        self.fake_quant_enabled, self.observer_enabled = True, True
        self._mask: Array | None = None

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Quantize from now on, or hand batches through."""
        self.fake_quant_enabled = bool(enabled)

    def disable_fake_quant(self) -> None:
        """Hand batches through from now on."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Observe from now on, or leave the state as it is."""
        self.observer_enabled = bool(enabled)

    def disable_observer(self) -> None:
        """Leave the state as it is from now on."""
        self.enable_observer(False)

    def forward(self, x: Any) -> Array:
        """What comes back of a batch."""
        raise NotImplementedError

    def __call__(self, x: Any) -> Array:
        return self.forward(x)

    def backward(self, grad: Array) -> Array:
        """The gradient of the last batch: passed where its code needed no clamp, else 0."""
        return grad if self._mask is None else grad * self._mask


class FakeQuantize(FakeQuantizeBase):
    """Observe, make qparams, fake-quantize with them. PyTorch: FakeQuantize.

    ``quant_min`` and ``quant_max`` go to the observer where both are given, and its codes are
    used. Before data scale is 1, zero point 0.
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int | None = None,
        quant_max: int | None = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__()
        made = observer_of(observer)
        if quant_min is not None and quant_max is not None:
            given = made.p.keywords if isinstance(made, WithArgs) else {}
            dtype = given.get("dtype", observer_kwargs.get("dtype", "quint8"))
            if quant_min > quant_max:
                raise TorchAssertionError("quant_min is above quant_max.", "", "Exchange them.")
            check_limits(dtype, quant_min, quant_max)
            observer_kwargs |= {"quant_min": quant_min, "quant_max": quant_max}
        self.activation_post_process = made(is_dynamic=is_dynamic, **observer_kwargs)
        watching = self.activation_post_process
        self.quant_min, self.quant_max = watching.quant_min, watching.quant_max
        self.dtype, self.qscheme = watching.dtype, watching.qscheme
        self.is_dynamic, self.ch_axis = watching.is_dynamic, getattr(watching, "ch_axis", -1)
        if self.qscheme not in PER_TENSOR + PER_CHANNEL:
            raise TorchAssertionError(f"{self.qscheme} is no scheme of fake quantization.")
        self.is_per_channel = self.qscheme in PER_CHANNEL
        kind = np.float32 if self.qscheme == FLOAT_QPARAMS else np.int32
        self.scale: Array = np.ones(1, np.float32)
        self.zero_point: Array = np.zeros(1, kind)

    def calculate_qparams(self) -> tuple[Array, Array]:
        """The observer's answer."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, x: Any) -> Array:
        if self.observer_enabled:
            self.activation_post_process(x)
            found = (xp.host(v) for v in self.calculate_qparams())
            scale, zero_point = found
            self._store(scale, zero_point.astype(xp.dtype_name(self.zero_point)), x)
        self._mask = None
        if not self.fake_quant_enabled:
            return x
        back, self._mask = self._quantized(x)
        return back

    def _store(self, scale: np.ndarray, zero_point: np.ndarray, x: Any) -> None:
        self.scale, self.zero_point = alike(scale, x), alike(zero_point, x)

    def _quantized(self, x: Any) -> tuple[Array, Array]:
        ends = self.quant_min, self.quant_max
        if self.is_per_channel:
            return fake_quantize_per_channel_affine_cachemask(
                x, self.scale, self.zero_point, self.ch_axis, *ends
            )
        return fake_quantize_per_tensor_affine_cachemask(x, self.scale, self.zero_point, *ends)


class FixedQParamsFakeQuantize(FakeQuantize):
    """Fake quantization with a scale and zero point given once. PyTorch: the same name."""

    def __init__(self, observer: Any) -> None:
        super().__init__(observer)
        if type(self.activation_post_process) is not FixedQParamsObserver:
            raise TorchAssertionError(
                f"{type(self.activation_post_process).__name__} has no fixed qparams.",
                "",
                "Give a FixedQParamsObserver.",
            )
        if self.is_per_channel:
            raise TorchAssertionError("Fixed qparams are per tensor.", "", "Choose such a scheme.")
        self.scale, self.zero_point = self.activation_post_process.calculate_qparams()

    def calculate_qparams(self) -> tuple[Array, Array]:
        return self.scale, self.zero_point


def observer_of(observer: Any) -> Any:
    """The maker of an observer: one of ours, by class, by name, or with arguments given."""
    if isinstance(observer, WithArgs):
        return observer
    name = name_of(observer)
    if name not in OBSERVERS:
        raise TorchTypeError(
            f"{name} is no observer for a module.", f"Known: {', '.join(OBSERVERS)}."
        )
    return OBSERVERS[name]


def check_limits(dtype: Any, quant_min: int, quant_max: int) -> None:
    """Refuse codes outside the type's own."""
    name = name_of(dtype)
    kind = "quint4x2" if name == "quint2x4" else name  # no observer takes it, but it has limits
    if kind not in STORAGE or not STORAGE[kind].bits:
        raise TorchTypeError(f"{name} has no limits of an integer type.", "", "Choose another.")
    low, high = STORAGE[kind].limits
    if quant_min < low or quant_max > high:
        raise TorchAssertionError(
            f"Codes {quant_min} to {quant_max} are out of bound.",
            f"{name} holds {low} to {high}.",
            "Narrow them.",
        )


def same_length(buffer: Array, values: Any) -> None:
    """Refuse qparams that do not fit a buffer, as copying into it does."""
    if values.size not in (1, buffer.size):
        raise TorchRuntimeError(
            f"{values.size} qparams do not fit {buffer.size} places.", "", "Set channel_len."
        )
