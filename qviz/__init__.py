"""qviz: see, number by number, what quantization does to tensors.

>>> import numpy as np, qviz
>>> qviz.observe(np.array([-1.0, 0.5, 2.0]), "minmax").hi
array([2.])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qviz.api import (
        METRICS,
        OBSERVERS,
        QUANTIZERS,
        Comparison,
        QvizError,
        compare,
        observe,
        open,
        quantizer,
    )
    from qviz.models.modules import capture

__version__ = "0.1.0"
__all__ = (
    "METRICS",
    "OBSERVERS",
    "QUANTIZERS",
    "Comparison",
    "QvizError",
    "capture",
    "compare",
    "observe",
    "open",
    "quantizer",
)


def __getattr__(name: str) -> Any:
    """Load the notebook door at the first use of one of its names."""
    if name in __all__:
        home = "qviz.models.modules" if name == "capture" else "qviz.api"
        return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'qviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
