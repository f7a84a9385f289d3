"""ONNX Runtime's four calibraters: what they collect through a reader, and their defaults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.onnxruntime.collector import HistogramCollector
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.dialects.onnxruntime.minmax import Ends, averaged, one_call
from qviz.dialects.onnxruntime.tensors import CalibrationMethod, TensorsData, beside, model_of, read
from qviz.spec import PER_TENSOR, Granularity
from qviz.stats.base import NOTHING
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.xp import Array

CHANNELS = Granularity("per_channel", 1)


class Calibrater(ABC):
    """Collects the tensors that a reader hands out; the model's arguments are not looked at."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def collect_data(self, data_reader: Any) -> None:
        """Take all batches of a reader as one collect call."""

    @abstractmethod
    def compute_data(self) -> TensorsData:
        """What the method makes of everything collected."""


class _Histograms(Calibrater):
    """A calibrater whose work a HistogramCollector does."""

    KIND: ClassVar[CalibrationMethod]
    collector: HistogramCollector

    def collect_data(self, data_reader: Any) -> None:
        self.collector.collect(read(data_reader))

    def compute_data(self) -> TensorsData:
        return TensorsData(self.KIND, self.collector.compute_collection_result())


@dataclass(eq=False)
class EntropyCalibrater(_Histograms):
    """The entropy method; 128 bins for 128 levels leave it no choice."""

    KIND = CalibrationMethod.Entropy
    OPTIONS = ("num_bins", "num_quantized_bins", "symmetric")
    model_path: Any
    op_types_to_calibrate: Sequence[str] | None = None
    augmented_model_path: Any = "augmented_model.onnx"
    use_external_data_format: bool = False
    method: str = "entropy"
    symmetric: bool = False
    num_bins: int = 128
    num_quantized_bins: int = 128

    def __post_init__(self) -> None:
        sizes = (self.num_bins, self.num_quantized_bins)
        self.collector = HistogramCollector(self.method, self.symmetric, *sizes, 99.999, "same")


@dataclass(eq=False)
class PercentileCalibrater(_Histograms):
    """The percentile method."""

    KIND = CalibrationMethod.Percentile
    OPTIONS = ("num_bins", "percentile", "symmetric")
    model_path: Any
    op_types_to_calibrate: Sequence[str] | None = None
    augmented_model_path: Any = "augmented_model.onnx"
    use_external_data_format: bool = False
    method: str = "percentile"
    symmetric: bool = False
    num_bins: int = 2048
    percentile: float = 99.999

    def __post_init__(self) -> None:
        rest = (self.num_bins, 2048, self.percentile, "same")
        self.collector = HistogramCollector(self.method, self.symmetric, *rest)


@dataclass(eq=False)
class DistributionCalibrater(_Histograms):
    """The distribution method, for float8; its own default of 128 bins is refused."""

    KIND = CalibrationMethod.Distribution
    OPTIONS = ("num_bins", "scenario")
    model_path: Any
    op_types_to_calibrate: Sequence[str] | None = None
    augmented_model_path: Any = "augmented_model.onnx"
    use_external_data_format: bool = False
    method: str = "distribution"
    num_bins: int = 128
    scenario: str = "same"

    def __post_init__(self) -> None:
        rest = (self.num_bins, 2048, 99.999, self.scenario)
        self.collector = HistogramCollector(self.method, False, *rest)


@dataclass(eq=False)
class MinMaxCalibrater(Calibrater):
    """Extremes over all collect calls, or their moving average; per channel along axis 1.

    Raises
    ------
    InvalidValue
        A moving average whose constant is not from 0 to 1; ``max_intermediate_outputs``, which
        in ONNX Runtime throws away what was collected before.
    """

    OPTIONS = (
        *("symmetric", "moving_average", "averaging_constant"),
        *("max_intermediate_outputs", "per_channel"),
    )
    model_path: Any
    op_types_to_calibrate: Sequence[str] | None = None
    augmented_model_path: Any = "augmented_model.onnx"
    symmetric: bool = False
    use_external_data_format: bool = False
    moving_average: bool = False
    averaging_constant: float = 0.01
    max_intermediate_outputs: int | None = None
    per_channel: bool = False
    _calls: dict[str, list[Ends]] = field(default_factory=dict, init=False, repr=False)
    _models: dict[str, Array] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.moving_average and not 0 <= self.averaging_constant <= 1:
            raise InvalidValue(
                f"A constant of {self.averaging_constant} is no share.", "", "0 to 1."
            )
        if self.max_intermediate_outputs is not None:
            raise InvalidValue("max_intermediate_outputs is not offered.", "", "Leave it None.")

    def collect_data(self, data_reader: Any) -> None:
        for name, batches in read(data_reader).items():
            states = [self._state(xp.enter(x)) for x in batches]
            found = one_call(states, self.symmetric, self.moving_average)
            self._calls.setdefault(name, []).append(found)
            self._models[name] = model_of(batches)

    def compute_data(self) -> TensorsData:
        return TensorsData(
            CalibrationMethod.MinMax, {name: self._found(name) for name in self._calls}
        )

    def _state(self, x: Array) -> MinMaxState:
        granularity = CHANNELS if self.per_channel else PER_TENSOR
        return MinMax().of(granularity.rows(xp.working(x)), NOTHING)

    def _found(self, name: str) -> tuple[Array, ...]:
        path = self._calls[name]
        if self.moving_average:
            ends = averaged(path, self.averaging_constant)[-1]
        else:
            ends = (np.min([lo for lo, _ in path], axis=0), np.max([hi for _, hi in path], axis=0))
        ends = ends if self.per_channel else tuple(end[0] for end in ends)
        return tuple(beside(end, self._models[name]) for end in ends)
