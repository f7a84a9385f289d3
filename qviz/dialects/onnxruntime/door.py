"""ONNX Runtime's calibrators under their own names, over the same records.

A model is never run: a data reader hands out the tensors to observe, ``{name: array}``, in place
of a model's inputs. All else is as in ``onnxruntime.quantization``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.onnxruntime.affine import scale_and_zero
from qviz.dialects.onnxruntime.calibraters import (
    Calibrater,
    DistributionCalibrater,
    EntropyCalibrater,
    MinMaxCalibrater,
    PercentileCalibrater,
)
from qviz.dialects.onnxruntime.collector import HistogramCollector
from qviz.dialects.onnxruntime.errors import FailedAssertion, InvalidValue
from qviz.dialects.onnxruntime.float8 import float8_scale
from qviz.dialects.onnxruntime.tensors import CalibrationMethod, TensorData, TensorsData, beside

__all__ = [
    "CalibrationMethod",
    "DistributionCalibrater",
    "EntropyCalibrater",
    "FailedAssertion",
    "HistogramCollector",
    "InvalidValue",
    "MinMaxCalibrater",
    "PercentileCalibrater",
    "TensorData",
    "TensorsData",
    "compute_scale_zp",
    "compute_scale_zp_float8",
    "create_calibrator",
]

FLOAT8E4M3FN = "17", "FLOAT8E4M3FN"  # TensorProto: number and name


def compute_scale_zp(
    rmin: Any,
    rmax: Any,
    qmin: Any,
    qmax: Any,
    symmetric: bool = False,
    min_real_range: float | None = None,
) -> list[np.ndarray]:
    """[zero_point, scale] of a range; the zero point has the type of ``qmin``.

    Raises
    ------
    InvalidValue
        0 is not one of the codes.
    """
    low, high = int(qmin), int(qmax)
    if not low <= 0 <= high:
        raise InvalidValue(f"Codes {low} to {high} leave out 0.", "", "Include it.")
    lo, hi = (np.atleast_1d(v if hasattr(v, "dtype") else np.float32(v)) for v in (rmin, rmax))
    if min_real_range is not None:
        hi = np.maximum(hi, np.minimum(lo, 0) + lo.dtype.type(min_real_range))
    scale, zero = scale_and_zero(lo, hi, (low, high), symmetric)
    return [np.asarray(zero[0].astype(np.asarray(qmin).dtype)), np.asarray(scale[0])]


def compute_scale_zp_float8(element_type: Any, std: Any) -> list[Any]:
    """[0, scale] for float8 E4M3FN weights of this standard deviation.

    Raises
    ------
    InvalidValue
        Another element type.
    """
    name = str(getattr(element_type, "name", element_type)).rpartition(".")[2].upper()
    if name not in FLOAT8E4M3FN:
        raise InvalidValue(f"Quantization to {element_type} is not there.", "FLOAT8E4M3FN is.")
    value: Any = np.asarray(xp.host(std)) if hasattr(std, "dtype") else np.asarray(std, np.float32)
    return [0, beside(float8_scale(value[()]), std)]


KINDS: dict[str, tuple[Callable[..., Calibrater], tuple[str, ...], dict[str, Any]]] = {
    "MinMax": (MinMaxCalibrater, MinMaxCalibrater.OPTIONS, {}),
    "Entropy": (EntropyCalibrater, EntropyCalibrater.OPTIONS, {}),
    "Percentile": (PercentileCalibrater, PercentileCalibrater.OPTIONS, {"symmetric": True}),
    "Distribution": (DistributionCalibrater, DistributionCalibrater.OPTIONS, {"num_bins": 2048}),
}


def create_calibrator(
    model: Any,
    op_types_to_calibrate: Sequence[str] | None = None,
    augmented_model_path: Any = "augmented_model.onnx",
    calibrate_method: CalibrationMethod = CalibrationMethod.MinMax,
    use_external_data_format: bool = False,
    providers: Sequence[str] | None = None,
    extra_options: Mapping[str, Any] | None = None,
) -> Calibrater:
    """A calibrater with the defaults that ``create_calibrator`` sets, changed by extra_options.

    Only ``calibrate_method`` and ``extra_options`` matter; options of other methods are passed
    over. Its defaults differ from the classes': a symmetric percentile, 2048 bins for the
    distribution.

    Raises
    ------
    InvalidValue
        Another method.
    """
    name = str(getattr(calibrate_method, "name", calibrate_method))
    if name not in KINDS:
        raise InvalidValue(f"No method is called {name!r}.", "", "Use a CalibrationMethod.")
    kind, known, defaults = KINDS[name]
    given = {key: value for key, value in (extra_options or {}).items() if key in known}
    return kind(model, **(defaults | given))
