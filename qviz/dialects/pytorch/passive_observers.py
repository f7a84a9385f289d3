"""PyTorch's observers that compute nothing from the data, by their own names."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.errors import TorchException
from qviz.dialects.pytorch.names import name_of
from qviz.dialects.pytorch.observers import AFFINE, QUINT8, ObserverBase
from qviz.dialects.pytorch.qparams import EPS
from qviz.dialects.pytorch.settings import check_static
from qviz.xp import Array


class FixedQParamsObserver(ObserverBase):
    """Scale and zero point given once: float32 (1,) and int32 (1,). PyTorch: the same name."""

    def __init__(  # noqa: PLR0913  PyTorch's own arguments
        self,
        scale: float,
        zero_point: int,
        dtype: Any = QUINT8,
        qscheme: Any = AFFINE,
        quant_min: int = 0,
        quant_max: int = 255,
        is_dynamic: bool = False,
    ) -> None:
        check_static("FixedQParamsObserver", is_dynamic)
        super().__init__(dtype, is_dynamic)
        self.qscheme, self.quant_min, self.quant_max = name_of(qscheme), quant_min, quant_max
        self.scale = np.full(1, scale, np.float32)
        self.zero_point = np.full(1, zero_point, np.int32)

    def forward(self, x_orig: Any) -> Any:
        self.remember(x_orig)
        return x_orig

    def calculate_qparams(self) -> tuple[Array, Array]:
        return self._answer(self.scale), self._answer(self.zero_point)


class _NoQParams(ObserverBase):
    """Observers that have no answer."""

    def calculate_qparams(self) -> tuple[Array, Array]:
        raise TorchException(
            f"{type(self).__name__} has no scale and zero point.",
            "It passes its configuration on and computes nothing.",
            "Choose another observer.",
        )


class PlaceholderObserver(_NoQParams):
    """A configuration, such as float16 or dynamic quantization. PyTorch: the same name."""

    def __init__(  # noqa: PLR0913  PyTorch's own arguments
        self,
        dtype: Any = "float32",
        custom_op_name: str = "",
        compute_dtype: Any = None,
        quant_min: int | None = None,
        quant_max: int | None = None,
        qscheme: Any = None,
        eps: float | None = None,
        is_dynamic: bool = False,
    ) -> None:
        super().__init__(dtype, is_dynamic)
        self.qscheme = AFFINE if qscheme is None else name_of(qscheme)
        self.quant_min, self.quant_max, self.custom_op = quant_min, quant_max, custom_op_name
        self.eps = EPS if eps is None else eps


class RecordingObserver(_NoQParams):
    """Keeps a copy of every batch. PyTorch: the same name."""

    def __init__(self, dtype: Any = QUINT8) -> None:
        super().__init__(dtype)
        self.tensor_val: list[Array] = []

    def forward(self, x_orig: Any) -> Any:
        ns = xp.namespace(x_orig)
        self.tensor_val.append(np.array(x_orig) if ns is np else x_orig.clone())
        return x_orig

    def get_tensor_value(self) -> list[Array]:
        """The batches seen, in order."""
        return self.tensor_val


class NoopObserver(_NoQParams):
    """A type and nothing else, float16 by default. PyTorch: the same name."""

    def __init__(self, dtype: Any = "float16", custom_op_name: str = "") -> None:
        super().__init__(dtype)
        self.custom_op = custom_op_name


class ReuseInputObserver(_NoQParams):
    """Stands for the observer of the operator before. PyTorch: the same name."""

    def __init__(self) -> None:
        super().__init__(QUINT8)
