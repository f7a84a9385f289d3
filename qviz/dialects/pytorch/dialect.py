"""PyTorch as it was measured, and the places its rules are taken from."""

from __future__ import annotations

from qviz.dialects import Dialect
from qviz.registry import Source

VERSION = "2.13.0"
MINMAX = Source("PyTorch", "torch.ao.quantization MinMaxObserver", VERSION)
MOVING_AVERAGE = Source("PyTorch", "torch.ao.quantization MovingAverageMinMaxObserver", VERSION)
HISTOGRAM = Source("PyTorch", "torch.ao.quantization HistogramObserver", VERSION)
PER_CHANNEL = Source("PyTorch", "torch.ao.quantization PerChannelMinMaxObserver", VERSION)
FIXED = Source("PyTorch", "torch.ao.quantization FixedQParamsObserver", VERSION)
FAKE_QUANTIZE = Source("PyTorch", "torch.fake_quantize_per_tensor_affine", VERSION)
FAKE_QUANTIZE_CHANNEL = Source("PyTorch", "torch.fake_quantize_per_channel_affine", VERSION)
FUSED = Source("PyTorch", "torch.fused_moving_avg_obs_fake_quant", VERSION)
LEARNABLE = Source("PyTorch", "torch._fake_quantize_learnable_per_tensor_affine", VERSION)
QUANTIZE = Source("PyTorch", "torch.quantize_per_tensor", VERSION)
QUANTIZE_CHANNEL = Source("PyTorch", "torch.quantize_per_channel", VERSION)
DYNAMIC = Source("PyTorch", "torch._choose_qparams_per_tensor", VERSION)
DOCUMENTED_MINMAX = Source("PyTorch documentation", "MinMaxObserver, FakeQuantize", VERSION)
DOCUMENTED_AVERAGE = Source("PyTorch documentation", "MovingAverageMinMaxObserver", VERSION)
TORCHAO = Source("torchao", "torchao.quantization.observer", "0.18.0")
TORCHAO_PT2E = Source("torchao", "torchao.quantization.pt2e.observer", "0.18.0")

DIALECT = Dialect(
    key="pytorch",
    prefix="torch.",
    title="PyTorch",
    documents=(
        MINMAX,
        MOVING_AVERAGE,
        HISTOGRAM,
        PER_CHANNEL,
        FIXED,
        FAKE_QUANTIZE,
        FAKE_QUANTIZE_CHANNEL,
        FUSED,
        LEARNABLE,
        QUANTIZE,
        QUANTIZE_CHANNEL,
        DYNAMIC,
        DOCUMENTED_MINMAX,
        DOCUMENTED_AVERAGE,
        TORCHAO,
        TORCHAO_PT2E,
    ),
    rounding="half to even, the zero point added after rounding",
    compute_dtype="float32",
    configuration="PyTorch 2.13.0 and torchao 0.18.0, CPU, x86-64 with fused multiply-add",
)
