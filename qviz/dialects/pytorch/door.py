"""PyTorch's own names: observers, modules, functions, ready-made settings, torchao's affine."""

from __future__ import annotations

from qviz.dialects.pytorch import ready_made
from qviz.dialects.pytorch.channel_fake_quantize import (
    fake_quantize_per_channel_affine,
    fake_quantize_per_channel_affine_cachemask,
    fake_quantize_per_channel_affine_cachemask_backward,
)
from qviz.dialects.pytorch.channel_observers import (
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from qviz.dialects.pytorch.fake_quantize import (
    fake_quantize_per_tensor_affine,
    fake_quantize_per_tensor_affine_cachemask,
    fake_quantize_per_tensor_affine_cachemask_backward,
)
from qviz.dialects.pytorch.fused_module import FusedMovingAvgObsFakeQuantize
from qviz.dialects.pytorch.histogram_observer import HistogramObserver
from qviz.dialects.pytorch.learnable_fake_quantize import (
    _fake_quantize_learnable_per_channel_affine,
    _fake_quantize_learnable_per_channel_affine_backward,
    _fake_quantize_learnable_per_tensor_affine,
    _fake_quantize_learnable_per_tensor_affine_backward,
)
from qviz.dialects.pytorch.learnable_module import _LearnableFakeQuantize
from qviz.dialects.pytorch.modules import FakeQuantize, FixedQParamsFakeQuantize
from qviz.dialects.pytorch.observers import MinMaxObserver, MovingAverageMinMaxObserver
from qviz.dialects.pytorch.passive_observers import (
    FixedQParamsObserver,
    NoopObserver,
    PlaceholderObserver,
    RecordingObserver,
    ReuseInputObserver,
)
from qviz.dialects.pytorch.quantized import (
    QuantizedTensor,
    _choose_qparams_per_tensor,
    quantize_per_channel,
    quantize_per_tensor,
)
from qviz.dialects.pytorch.ready_made import *  # noqa: F403  each by its own name, listed there
from qviz.dialects.pytorch.torchao_blocks import (
    PerAxis,
    PerBlock,
    PerGroup,
    PerRow,
    PerTensor,
    PerToken,
    get_block_size,
)
from qviz.dialects.pytorch.torchao_observers import (
    AffineQuantizedFixedQParamObserver,
    AffineQuantizedMinMaxObserver,
    AffineQuantizedMovingAverageMinMaxObserver,
    AffineQuantizedMSEObserver,
)
from qviz.dialects.pytorch.torchao_quantizer import (
    choose_qparams_affine_with_min_max,
    fake_quantize_affine,
    fake_quantize_affine_cachemask,
)

__all__ = [
    "AffineQuantizedFixedQParamObserver",
    "AffineQuantizedMSEObserver",
    "AffineQuantizedMinMaxObserver",
    "AffineQuantizedMovingAverageMinMaxObserver",
    "FakeQuantize",
    "FixedQParamsFakeQuantize",
    "FixedQParamsObserver",
    "FusedMovingAvgObsFakeQuantize",
    "HistogramObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "NoopObserver",
    "PerAxis",
    "PerBlock",
    "PerChannelMinMaxObserver",
    "PerGroup",
    "PerRow",
    "PerTensor",
    "PerToken",
    "PlaceholderObserver",
    "QuantizedTensor",
    "RecordingObserver",
    "ReuseInputObserver",
    "_LearnableFakeQuantize",
    "_choose_qparams_per_tensor",
    "_fake_quantize_learnable_per_channel_affine",
    "_fake_quantize_learnable_per_channel_affine_backward",
    "_fake_quantize_learnable_per_tensor_affine",
    "_fake_quantize_learnable_per_tensor_affine_backward",
    "choose_qparams_affine_with_min_max",
    "fake_quantize_affine",
    "fake_quantize_affine_cachemask",
    "fake_quantize_per_channel_affine",
    "fake_quantize_per_channel_affine_cachemask",
    "fake_quantize_per_channel_affine_cachemask_backward",
    "fake_quantize_per_tensor_affine",
    "fake_quantize_per_tensor_affine_cachemask",
    "fake_quantize_per_tensor_affine_cachemask_backward",
    "get_block_size",
    "quantize_per_channel",
    "quantize_per_tensor",
]
__all__ += ready_made.__all__
