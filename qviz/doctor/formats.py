"""Float formats of 4 to 8 bits, each value alone or 32 of them under a shared power of two."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.xp import Array

CHUNK = 2**16  # elements at a time: what is computed of them stays in the cache
SHARED = 127  # largest magnitude of a shared exponent, 8 bits without a sign or fraction (E8M0)
BLOCK = 32  # elements that share a scale


@dataclass(frozen=True)
class Format:
    """Numbers ±2^(e - bias) (1 + m / 2^mantissa), and evenly spaced ones around 0.

    ``bits`` count the sign; ``maximum`` is the largest finite number. ``beyond`` is what larger
    ones become where a cast does not saturate: inf, NaN, or the maximum where the format has
    neither. ``block`` elements share a scale.
    """

    name: str
    bits: int
    mantissa: int
    bias: int
    maximum: float
    beyond: float
    negative_zero: bool = True
    block: int = 1

    @property
    def has_inf(self) -> bool:
        """Whether there is a code for infinity."""
        return math.isinf(self.beyond)

    @property
    def smallest(self) -> float:
        """The smallest number above 0, a subnormal one."""
        return 2.0 ** (1 - self.bias - self.mantissa)

    @property
    def power(self) -> int:
        """Exponent of the largest power of two."""
        return int(np.frexp(self.maximum)[1]) - 1


FORMATS = {
    made.name: made
    for made in (
        Format("float8_e4m3fn", 8, 3, 7, 448.0, math.nan),
        Format("float8_e4m3fnuz", 8, 3, 8, 240.0, math.nan, negative_zero=False),
        Format("float8_e5m2", 8, 2, 15, 57344.0, math.inf),
        Format("float8_e5m2fnuz", 8, 2, 16, 57344.0, math.nan, negative_zero=False),
        Format("mxfp8_e4m3", 8, 3, 7, 448.0, math.nan, block=BLOCK),
        Format("mxfp8_e5m2", 8, 2, 15, 57344.0, math.inf, block=BLOCK),
        Format("mxfp6_e2m3", 6, 3, 1, 7.5, 7.5, block=BLOCK),
        Format("mxfp6_e3m2", 6, 2, 3, 28.0, 28.0, block=BLOCK),
        Format("mxfp4_e2m1", 4, 1, 1, 6.0, 6.0, block=BLOCK),
    )
}
STORED_AS = tuple(FORMATS)


def format_of(name: str) -> Format:
    """The format of that name. Raises QvizError where there is none."""
    if name not in FORMATS:
        known = f"Known: {', '.join(STORED_AS)}."
        raise QvizError(f"No float format is called {name!r}.", "", known)
    return FORMATS[name]


def rounded(x: np.ndarray, kept: Format, *, saturate: bool = True) -> np.ndarray:
    """Each value as the format holds it: the nearest number, ties to the even one, float64.

    y = s round(x / s), s = 2^(max(floor(log2 |x|), 1 - bias) - mantissa); exact, as s is a power
    of two. What then lies above the maximum, infinity too, becomes the maximum with its sign, or
    ``kept.beyond`` where the cast does not ``saturate``. NaN stays NaN.

    Source: OCP 8-bit Floating Point Specification (OFP8) 1.0; arXiv:2206.02915 for fnuz.
    """
    most = kept.maximum if saturate else 2 * kept.maximum  # farther out nothing changes any more
    x = np.clip(np.asarray(x, np.float64), -most, most)
    power = np.maximum(np.frexp(x)[1] - 1, 1 - kept.bias) - kept.mantissa
    step = np.ldexp(1.0, power)
    y = np.rint(x / step) * step
    if not saturate:
        y = np.where(np.abs(y) > kept.maximum, np.copysign(kept.beyond, y), y)
    return y if kept.negative_zero else y + 0.0  # -0 + 0 is 0


def exponents(amax: np.ndarray, kept: Format, *, up: bool = False) -> np.ndarray:
    """Shared exponents of blocks whose largest magnitudes are ``amax``: scales are 2 to them.

    floor(log2 amax) - floor(log2 maximum), from -127 to 127; 1 more with ``up`` where
    amax / scale would lie above the maximum.

    Source: OCP Microscaling Formats (MX) Specification 1.0.
    """
    power = np.clip(np.frexp(amax)[1] - 1 - kept.power, -SHARED, SHARED)
    over = amax > np.ldexp(kept.maximum, power)
    return np.minimum(power + (over & up), SHARED)


def in_blocks(rows: np.ndarray, power: np.ndarray, kept: Format) -> np.ndarray:
    """Blocks (blocks, 32) as they come back under shared exponents (blocks,), float64."""
    shared = power[:, None]
    return np.ldexp(rounded(np.ldexp(rows, -shared), kept), shared)


def pieces(batches: Iterable[Array]) -> Iterator[np.ndarray]:
    """All elements, float64, some at a time: (rows, elements) of whole or cut last axes.

    A cut lies at a multiple of 32 elements.
    """
    for batch in batches:
        if not xp.size(batch):
            continue
        rows = batch.reshape(-1, batch.shape[-1] if len(batch.shape) else 1)
        tall = max(1, CHUNK // rows.shape[1])
        for at in range(0, rows.shape[0], tall):
            for start in range(0, rows.shape[1], CHUNK):
                part = rows[at : at + tall, start : start + CHUNK]
                yield xp.host(xp.working(part)).astype(np.float64)


def blocks(batches: Iterable[Array]) -> Iterator[np.ndarray]:
    """The same in blocks (blocks, 32) along the last axis, the last of a row filled with zeros.

    Without the blocks that hold NaN or infinity: their scale is NaN.
    """
    for piece in pieces(batches):
        filled = np.pad(piece, ((0, 0), (0, -piece.shape[1] % BLOCK)))
        rows = filled.reshape(-1, BLOCK)
        yield rows[np.isfinite(rows).all(axis=1)]
