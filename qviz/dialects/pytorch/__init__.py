"""PyTorch: torch.ao.quantization, its fake-quantize functions, torchao's affine observers."""

from qviz.dialects.pytorch.door import *  # noqa: F403  the door lists its names
from qviz.dialects.pytorch.door import __all__ as __all__
