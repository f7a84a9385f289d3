"""PyTorch's ready-made observers and fake quantizations: 32 settings by their own names."""

from __future__ import annotations

from qviz.dialects.pytorch.channel_observers import (
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from qviz.dialects.pytorch.fused_module import FusedMovingAvgObsFakeQuantize
from qviz.dialects.pytorch.histogram_observer import HistogramObserver
from qviz.dialects.pytorch.modules import FakeQuantize, FixedQParamsFakeQuantize
from qviz.dialects.pytorch.names import FLOAT_QPARAMS
from qviz.dialects.pytorch.observers import MinMaxObserver, MovingAverageMinMaxObserver
from qviz.dialects.pytorch.passive_observers import (
    FixedQParamsObserver,
    PlaceholderObserver,
    RecordingObserver,
    ReuseInputObserver,
)

__all__ = [
    "default_affine_fixed_qparams_fake_quant",
    "default_affine_fixed_qparams_observer",
    "default_debug_observer",
    "default_dynamic_fake_quant",
    "default_dynamic_quant_observer",
    "default_embedding_fake_quant",
    "default_embedding_fake_quant_4bit",
    "default_fake_quant",
    "default_fixed_qparams_range_0to1_fake_quant",
    "default_fixed_qparams_range_0to1_observer",
    "default_fixed_qparams_range_neg1to1_fake_quant",
    "default_fixed_qparams_range_neg1to1_observer",
    "default_float_qparams_observer",
    "default_float_qparams_observer_4bit",
    "default_fused_act_fake_quant",
    "default_fused_per_channel_wt_fake_quant",
    "default_fused_wt_fake_quant",
    "default_histogram_fake_quant",
    "default_histogram_observer",
    "default_observer",
    "default_per_channel_weight_fake_quant",
    "default_per_channel_weight_observer",
    "default_placeholder_observer",
    "default_reuse_input_observer",
    "default_symmetric_fixed_qparams_fake_quant",
    "default_symmetric_fixed_qparams_observer",
    "default_weight_fake_quant",
    "default_weight_observer",
    "fused_per_channel_wt_fake_quant_range_neg_127_to_127",
    "fused_wt_fake_quant_range_neg_127_to_127",
    "per_channel_weight_observer_range_neg_127_to_127",
    "weight_observer_range_neg_127_to_127",
]

_CHANNEL_AVERAGE = MovingAveragePerChannelMinMaxObserver
_REDUCED = {"quant_min": 0, "quant_max": 127}
_UNSIGNED = {"quant_min": 0, "quant_max": 255}
_SIGNED = {"quant_min": -128, "quant_max": 127, "dtype": "qint8"}
_NARROW = {"quant_min": -127, "quant_max": 127, "dtype": "qint8", "eps": 2.0**-12}
_WHOLE = {"qscheme": "per_tensor_symmetric"}
_CHANNELS = {"qscheme": "per_channel_symmetric"}

default_observer = MinMaxObserver.with_args(**_REDUCED)
default_placeholder_observer = PlaceholderObserver.with_args()
default_debug_observer = RecordingObserver.with_args()
default_weight_observer = MinMaxObserver.with_args(dtype="qint8", **_WHOLE)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(**_WHOLE, **_NARROW)
default_histogram_observer = HistogramObserver.with_args(**_REDUCED)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(dtype="qint8", **_CHANNELS)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    **_CHANNELS, **_NARROW
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype="quint8", is_dynamic=True, **_UNSIGNED
)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype="quint8", qscheme=FLOAT_QPARAMS, ch_axis=0
)
default_float_qparams_observer_4bit = PerChannelMinMaxObserver.with_args(
    dtype="quint4x2", qscheme=FLOAT_QPARAMS, ch_axis=0
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2 / 256, zero_point=128, dtype="quint8", **_UNSIGNED
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1 / 256, zero_point=0, dtype="quint8", **_UNSIGNED
)
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer
default_reuse_input_observer = ReuseInputObserver.with_args()

default_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, dtype="quint8", reduce_range=True, **_UNSIGNED
)
default_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, **_WHOLE, **_SIGNED
)
default_dynamic_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, is_dynamic=True, averaging_constant=1, **_UNSIGNED
)
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
default_symmetric_fixed_qparams_fake_quant = default_fixed_qparams_range_neg1to1_fake_quant
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=_CHANNEL_AVERAGE, ch_axis=0, **_CHANNELS, **_SIGNED
)
default_embedding_fake_quant = FakeQuantize.with_args(
    observer=_CHANNEL_AVERAGE, qscheme=FLOAT_QPARAMS, averaging_constant=1, **_UNSIGNED
)
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    observer=_CHANNEL_AVERAGE, qscheme=FLOAT_QPARAMS, averaging_constant=1, dtype="quint4x2"
)
default_histogram_fake_quant = FakeQuantize.with_args(
    observer=HistogramObserver, dtype="quint8", reduce_range=True, **_UNSIGNED
)
default_fused_act_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, dtype="quint8", **_UNSIGNED
)
default_fused_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, **_WHOLE, **_SIGNED
)
default_fused_per_channel_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=_CHANNEL_AVERAGE, **_CHANNELS, **_SIGNED
)
fused_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, **_WHOLE, **_NARROW
)
fused_per_channel_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=_CHANNEL_AVERAGE, **_CHANNELS, **_NARROW
)
