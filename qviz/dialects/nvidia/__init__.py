"""NVIDIA: the histogram calibrator of nvidia-modelopt."""

from qviz.dialects.nvidia.door import (
    FailedRun,
    HistogramCalibrator,
    InvalidType,
    InvalidValue,
    NotOffered,
)

__all__ = ["FailedRun", "HistogramCalibrator", "InvalidType", "InvalidValue", "NotOffered"]
