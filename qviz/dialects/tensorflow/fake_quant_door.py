"""TensorFlow's own names: fake_quant_with_min_max_* and their gradients.

Arguments, defaults and errors are TensorFlow's; ``name`` is accepted and ignored. Inputs are NumPy
arrays or torch tensors, and so are results, float32. The rule is that of ``tf.fake_quant``.
"""

from __future__ import annotations

from typing import Any

from qviz.dialects.tensorflow.fake_quant_op import (
    codes,
    forward,
    gradient,
    of_args,
    of_channels,
    of_vars,
)
from qviz.xp import Array


def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Array:
    """What comes back under one range, given as attributes; min < max is needed.

    Raises
    ------
    InvalidArgument
        num_bits outside 2 to 16, or min not below max.
    """
    return forward(of_args(min, max, codes(num_bits, narrow_range)), inputs)


def fake_quant_with_min_max_args_gradient(  # noqa: PLR0913 - TensorFlow's own argument list
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Array:
    """Gradient to ``inputs``: passed on inside the nudged range, times 0 outside."""
    return gradient(of_args(min, max, codes(num_bits, narrow_range)), gradients, inputs)[0]


def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Array:
    """What comes back under one range, given as 0-d inputs in any order.

    0 and 0 give zeros; two other equal bounds give NaN.

    Raises
    ------
    InvalidArgument
        num_bits outside 2 to 16, or bounds that are not 0-d.
    """
    return forward(of_vars(min, max, codes(num_bits, narrow_range)), inputs)


def fake_quant_with_min_max_vars_gradient(  # noqa: PLR0913 - TensorFlow's own argument list
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Array, Array, Array]:
    """Gradients to ``inputs``, to ``min`` (the sum below the range), to ``max`` (above it)."""
    return gradient(of_vars(min, max, codes(num_bits, narrow_range)), gradients, inputs)


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Array:
    """What comes back under one range for each index of the last axis; bounds are 1-D.

    Raises
    ------
    InvalidArgument
        num_bits outside 2 to 16, a 0-d input, or bounds that do not fit the last axis.
    """
    grid = of_channels(inputs, min, max, codes(num_bits, narrow_range))
    return forward(grid, inputs, channels=True)


def fake_quant_with_min_max_vars_per_channel_gradient(  # noqa: PLR0913 - as above
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Array, Array, Array]:
    """Gradients to ``inputs``, and to ``min`` and ``max``, summed over all but the last axis."""
    grid = of_channels(inputs, min, max, codes(num_bits, narrow_range))
    return gradient(grid, gradients, inputs, channels=True)
