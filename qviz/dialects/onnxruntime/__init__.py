"""ONNX Runtime: the calibrators of onnxruntime.quantization."""

from qviz.dialects.onnxruntime.door import (
    CalibrationMethod,
    DistributionCalibrater,
    EntropyCalibrater,
    FailedAssertion,
    HistogramCollector,
    InvalidValue,
    MinMaxCalibrater,
    PercentileCalibrater,
    TensorData,
    TensorsData,
    compute_scale_zp,
    compute_scale_zp_float8,
    create_calibrator,
)

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
