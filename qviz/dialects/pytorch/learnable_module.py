"""PyTorch's module that learns its scale and zero point, by its own name."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch import learnable_fake_quantize as learnable
from qviz.dialects.pytorch.errors import (
    TorchAssertionError,
    TorchRuntimeError,
    TorchZeroDivisionError,
)
from qviz.dialects.pytorch.modules import FakeQuantizeBase, check_limits, observer_of, same_length
from qviz.dialects.pytorch.names import alike
from qviz.dialects.pytorch.qparams import EPS
from qviz.quantizers.base import Grads
from qviz.xp import Array


class _LearnableFakeQuantize(FakeQuantizeBase):
    """Scale and zero point are float32 parameters, of length 1 or ``channel_len``.

    They follow the observer until ``enable_param_learning``; then they are the caller's to move,
    by what ``gradients`` says. A symmetric scheme sets the zero point to 0 at each forward pass.
    The module keeps its own codes: ``reduce_range`` reduces only the observer's.
    """

    def __init__(  # noqa: PLR0913  PyTorch's own arguments
        self,
        observer: Any,
        quant_min: int = 0,
        quant_max: int = 255,
        scale: float = 1.0,
        zero_point: float = 0.0,
        channel_len: int = -1,
        use_grad_scaling: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__()
        if quant_min >= quant_max:
            raise TorchAssertionError(f"Codes {quant_min} to {quant_max} are too few.")
        if channel_len != -1 and not (isinstance(channel_len, int) and channel_len > 0):
            raise TorchAssertionError(
                f"channel_len {channel_len} is no count.", "", "Use 1 or more."
            )
        self.quant_min, self.quant_max = quant_min, quant_max
        self.use_grad_scaling, length = use_grad_scaling, max(channel_len, 1)
        self.scale: Array = np.full(length, scale, np.float32)
        self.zero_point: Array = np.full(length, zero_point, np.float32)
        observer_kwargs |= {"quant_min": quant_min, "quant_max": quant_max}
        self.activation_post_process = observer_of(observer)(**observer_kwargs)
        watching = self.activation_post_process
        check_limits(watching.dtype, quant_min, quant_max)
        self.dtype, self.qscheme = watching.dtype, watching.qscheme
        self.ch_axis = getattr(watching, "ch_axis", -1)
        self.learning_enabled = False
        self._last: tuple[Any, float] | None = None

    def enable_param_learning(self) -> _LearnableFakeQuantize:
        """Leave the parameters to the caller: the observer is off."""
        return self._switched(learning=True, quantizing=True, observing=False)

    def enable_static_estimate(self) -> None:
        """Let the parameters follow the observer."""
        self._switched(learning=False, quantizing=True, observing=True)

    def enable_static_observation(self) -> None:
        """Let the parameters follow the observer, and hand batches through."""
        self._switched(learning=False, quantizing=False, observing=True)

    def _switched(
        self, *, learning: bool, quantizing: bool, observing: bool
    ) -> _LearnableFakeQuantize:
        self.learning_enabled = learning
        self.enable_fake_quant(quantizing)
        self.enable_observer(observing)
        return self

    def calculate_qparams(self) -> tuple[Array, Array]:
        """The scale, raised to 2^-23, and the zero point rounded and clamped, int64."""
        self._raise_scale()
        zero = np.clip(np.rint(xp.host(self.zero_point)), self.quant_min, self.quant_max)
        return self.scale, alike(zero.astype(np.int64), self.zero_point)

    def forward(self, x: Any) -> Array:
        self._last = None
        if self.observer_enabled:
            self.activation_post_process(x)
            found = [xp.host(v) for v in self.activation_post_process.calculate_qparams()]
            same_length(xp.host(self.scale), found[0])
            size = xp.size(self.scale)
            scale, zero = (np.broadcast_to(v.astype(np.float32), (size,)) for v in found)
            self.scale, self.zero_point = alike(scale, x), alike(zero, x)
        else:
            self._raise_scale()
        if not self.fake_quant_enabled:
            return x
        if self.qscheme.endswith("symmetric"):
            self.zero_point = alike(np.zeros(xp.size(self.scale), np.float32), x)
        self._last = x, self._grad_factor(x)
        if self._is_per_channel:
            return learnable._fake_quantize_learnable_per_channel_affine(
                x, self.scale, self.zero_point, self.ch_axis, self.quant_min, self.quant_max
            )
        return learnable._fake_quantize_learnable_per_tensor_affine(
            x, self.scale, self.zero_point, self.quant_min, self.quant_max
        )

    def backward(self, grad: Array) -> Array:
        return grad if self._last is None else self.gradients(grad).input

    def gradients(self, grad: Array) -> Grads:
        """Gradients of the last forward pass: of the input, and of ``scale``, ``zero_point``."""
        if self._last is None:
            raise TorchAssertionError("Nothing was quantized yet.", "", "Call forward first.")
        x, factor = self._last
        own = (self.scale, self.zero_point)
        ends = (self.quant_min, self.quant_max, factor)
        if self._is_per_channel:
            found = learnable._fake_quantize_learnable_per_channel_affine_backward(
                grad, x, *own, self.ch_axis, *ends
            )
        else:
            found = learnable._fake_quantize_learnable_per_tensor_affine_backward(
                grad, x, *own, *ends
            )
        if tuple(found[1].shape) != tuple(self.scale.shape):
            raise TorchRuntimeError(
                f"{xp.size(self.scale)} scales have one gradient.",
                "This scheme is quantized with one scale.",
                "Leave out channel_len.",
            )
        return Grads(found[0], {"scale": found[1], "zero_point": found[2]})

    @property
    def _is_per_channel(self) -> bool:
        return self.qscheme in ("per_channel_affine", "per_channel_symmetric")

    def _raise_scale(self) -> None:
        self.scale = self.scale.clip(np.float32(EPS) if isinstance(self.scale, np.ndarray) else EPS)

    def _grad_factor(self, x: Any) -> float:
        if not self.use_grad_scaling:
            return 1.0
        weight = xp.size(xp.enter(x)) * self.quant_max
        if weight == 0:
            raise TorchZeroDivisionError("Gradients cannot be scaled by 1 / 0.", "", "Scale off.")
        return 1.0 / weight**0.5
