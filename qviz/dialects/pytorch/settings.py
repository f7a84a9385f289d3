"""What an observer of PyTorch is told: type, scheme, codes, least scale; checked as it checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.dialects.pytorch import qparams
from qviz.dialects.pytorch.errors import TorchAssertionError, TorchNotImplementedError
from qviz.dialects.pytorch.names import FLOAT_QPARAMS, STORAGE, name_of

UINT8 = ("quint8", "uint8")
LENGTHS = {"qint8": 2**8, "int8": 2**8, "qint32": 2**32, "int32": 2**32}  # others: unchecked


@dataclass(frozen=True)
class Settings:
    """Resolved settings: ``quant_min``, ``quant_max`` are the codes in use, after reduction.

    ``custom`` says whether both ends were given; it moves the symmetric zero point of uint8.
    """

    dtype: str
    qscheme: str
    reduce_range: bool
    quant_min: int
    quant_max: int
    custom: bool
    eps: float

    @property
    def ends(self) -> tuple[int, int]:
        """(quant_min, quant_max)."""
        return self.quant_min, self.quant_max

    @property
    def symmetric(self) -> bool:
        """Whether the scheme is symmetric."""
        return self.qscheme.endswith("symmetric")

    @property
    def symmetric_zero(self) -> int:
        """Zero point of the symmetric schemes: 0 but for the unsigned types.

        8 bits: 128, or the middle of custom codes, rounded down; uint16: 32768.
        """
        if self.dtype in UINT8:
            return sum(self.ends) // 2 if self.custom else 128
        return 2**15 if self.dtype == "uint16" else 0

    def qparams(self, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scale and zero point as ``calculate_qparams`` gives them; (groups,) float32.

        Ends are 0-d or (channels,), float32. Without data (+inf and -inf as 0-d, no channels)
        1 and 0, of shape (1,). Zero points are int32 for affine, int64 for
        symmetric schemes, float32 for ``per_channel_affine_float_qparams``.

        Raises
        ------
        TorchAssertionError
            A minimum above its maximum.
        """
        if not lo.size or (lo.ndim == 0 and lo == np.inf and hi == -np.inf):
            return np.ones(1, np.float32), np.zeros(1, np.int64)
        lo, hi = np.atleast_1d(lo), np.atleast_1d(hi)
        if (crossed := lo > hi).any():
            raise TorchAssertionError(
                f"min {lo[crossed][0]:g} should be less than max {hi[crossed][0]:g}.",
                "Rounding of a moving average does that to nearly constant batches.",
                "Observe other data, or choose another averaging_constant.",
            )
        if self.symmetric:
            return qparams.symmetric(lo, hi, self.ends, self.symmetric_zero, self.eps)
        if self.qscheme == FLOAT_QPARAMS:
            return qparams.float_qparams(lo, hi, self.ends, self.eps)
        scale, zero = qparams.affine(lo, hi, self.ends, self.eps)
        return scale, zero.astype(np.int32)


def resolved(
    dtype: Any,
    qscheme: Any,
    reduce_range: bool,
    quant_min: int | None,
    quant_max: int | None,
    eps: float,
) -> Settings:
    """Settings from an observer's arguments. One end of the codes alone is ignored.

    Raises
    ------
    TorchAssertionError
        Another type; codes without 0, without order, or too many for their type.
    """
    name = name_of(dtype)
    if name not in STORAGE:
        raise TorchAssertionError(
            f"No observer works for {name}.", f"Types: {', '.join(STORAGE)}.", "Choose one of them."
        )
    if quant_min is None or quant_max is None:
        ends = STORAGE[name].reduced if reduce_range else STORAGE[name].codes
        return Settings(name, name_of(qscheme), reduce_range, *ends, False, float(eps))
    _check_codes(name, quant_min, quant_max)
    ends = (quant_min // 2, quant_max // 2) if reduce_range else (quant_min, quant_max)
    return Settings(name, name_of(qscheme), reduce_range, *ends, True, float(eps))


def _check_codes(dtype: str, low: int, high: int) -> None:
    what = f"Codes {low} to {high} are refused."
    if not low <= 0 <= high:
        raise TorchAssertionError(what, "They must include 0.", "Widen them.")
    if low >= high:
        raise TorchAssertionError(what, "quant_min must be less than quant_max.", "Widen them.")
    if high - low + 1 > LENGTHS.get(dtype, high - low + 1):
        raise TorchAssertionError(
            what, f"{dtype} has at most {LENGTHS[dtype]} codes.", "Use fewer."
        )


def check_scheme(cls: str, qscheme: Any, allowed: tuple[str, ...]) -> None:
    """Refuse a scheme of the wrong family."""
    if name_of(qscheme) not in allowed:
        raise TorchNotImplementedError(
            f"{cls} does not support {name_of(qscheme)}.",
            f"Its schemes: {', '.join(allowed)}.",
            "Choose one of them.",
        )


def check_static(cls: str, is_dynamic: bool) -> None:
    """Refuse dynamic quantization."""
    if is_dynamic:
        raise TorchNotImplementedError(
            f"{cls} does not support dynamic quantization.", "", "Leave is_dynamic off."
        )


def check_reduced(settings: Settings) -> None:
    """Refuse reduce_range for symmetric quint8, as the min-max classes do."""
    if settings.symmetric and settings.reduce_range and settings.dtype == "quint8":
        raise TorchNotImplementedError(
            "There is no reduced range for symmetric quint8.", "", "Use quant_min and quant_max."
        )
