"""Other people's code that does the same work; each says why where it is absent."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from qviz.quantizers.affine import AffineQuantizer


def missing() -> str:
    """Why torch's observers cannot be measured here, or an empty text."""
    try:
        import torch.ao.quantization  # noqa: F401  only whether it is there
    except ImportError as error:
        return f"torch.ao observers left out: {error}."
    return ""


@contextmanager
def quiet() -> Iterator[None]:
    """Keep a peer's own warnings from the screen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def histogram_observer(x: Any) -> tuple[Any, Any]:
    """(scale, zero_point) of torch.ao's HistogramObserver: forward, then its search."""
    from torch.ao.quantization import HistogramObserver

    with quiet():
        observer = HistogramObserver()
        observer(x)
        return observer.calculate_qparams()


def per_channel_observer(x: Any, axis: int) -> tuple[Any, Any]:
    """(min, max) per channel of torch.ao's PerChannelMinMaxObserver."""
    from torch.ao.quantization import PerChannelMinMaxObserver

    with quiet():
        observer = PerChannelMinMaxObserver(ch_axis=axis)
        observer(x)
        return observer.min_val, observer.max_val


def straightforward(x: Any, quantizer: AffineQuantizer) -> dict[str, float]:
    """Metrics as one writes them down first: whole-tensor torch operations, one after another."""
    import torch

    low, high = quantizer.ends
    scale, zero = float(quantizer.scale[0]), int(quantizer.zero_point[0])
    y = torch.fake_quantize_per_tensor_affine(x, scale, zero, low, high)
    e = y - x
    code = torch.round(x / scale) + zero
    norms = torch.sqrt((x * x).sum() * (y * y).sum())
    return {
        "mse": float((e * e).mean()),
        "max_abs_error": float(e.abs().max()),
        "mean_abs_error": float(e.abs().mean()),
        "cosine": float((x * y).sum() / norms),
        "clipped_share": float(((code < low) | (code > high)).float().mean()),
    }
