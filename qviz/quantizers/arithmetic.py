"""How a quantizer computes its codes, as data: what differs between rules that share qparams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.xp import Array

HALF = 0.5


def _up(y: Array) -> Array:
    return xp.namespace(y).floor(y + HALF)


def _cut(y: Array) -> Array:
    return xp.namespace(y).trunc(y)


ROUNDINGS: dict[str, Callable[[Array], Array]] = {
    "even": xp.rint, "away": xp.round_away, "up": _up, "cut": _cut,
}  # fmt: skip
TIE_WORDS = {
    "even": "half to even",
    "away": "half away from zero",
    "up": "half up: floor(t + 0.5)",
    "cut": "no rounding: cut towards zero",
}


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """q = round((x - origin) / factor + before) + after, each operation rounded to ``dtype``.

    ``divides`` False: times ``factor`` instead. ``inverts``: that factor is 1 / scale, computed
    from the scale. ``once`` computes product and sum with one rounding. ``times`` are numbers that
    are multiplied in ahead of ``factor`` and behind it. Fields are NumPy (groups,); None adds
    nothing. Clamping is left to the ends.
    """

    tie: str
    dtype: str
    factor: np.ndarray
    divides: bool = True
    inverts: bool = False
    origin: np.ndarray | None = None
    before: np.ndarray | None = None
    after: np.ndarray | None = None
    once: Callable[[Array, Array, Array], Array] | None = None
    times: tuple[float, float] = (1.0, 1.0)

    @property
    def quotient(self) -> str:
        """``division``, ``reciprocal`` or ``multiplier``."""
        return "division" if self.divides else "reciprocal" if self.inverts else "multiplier"

    @property
    def counts_from(self) -> str:
        """Where codes are counted from: real ``zero``, or the ``lower end`` of the range."""
        return "zero" if self.origin is None else "lower end"

    @property
    def added(self) -> str:
        """When the zero point is added: ``before`` or ``after`` rounding, or there is ``none``."""
        if self.origin is not None or self.before is self.after:
            return "none"
        return "before" if self.before is not None else "after"

    @property
    def counting(self) -> str:
        """Where codes are counted from and when the zero point is added, in one word or two.

        ``none``, ``before``, ``after`` or, before rounding and with one rounding, ``once``; ``lower
        end``, or ``lower end, moved`` where whole steps are taken off ahead of rounding.
        """
        if self.origin is None:
            return self.added if self.once is None else "once"
        return self.counts_from if self.before is None else f"{self.counts_from}, moved"

    @property
    def zero(self) -> np.ndarray | None:
        """The code of real 0 where codes are counted from there, (groups,); else None."""
        if self.origin is not None:
            return None
        given = self.before if self.after is None else self.after
        return np.zeros(self.factor.shape) if given is None else given

    @np.errstate(all="ignore")
    def unrounded(self, rows: Array) -> Array:
        """What is rounded to codes, in ``dtype``."""
        x = xp.astype(rows, self.dtype)
        if self.origin is not None:
            x = x - xp.like(self.origin, x, self.dtype)
        ahead, behind = self.times
        x = x if ahead == 1 else x * ahead
        factor = xp.like(self.factor, x, self.dtype)
        if self.once is not None:
            return self.once(x, factor, xp.like(self.before, x, self.dtype))
        t = xp.div(x, factor) if self.divides else x * factor
        t = t if behind == 1 else t * behind
        return t if self.before is None else t + xp.like(self.before, t, self.dtype)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        """Codes before clamping."""
        codes = ROUNDINGS[self.tie](self.unrounded(rows))
        return codes if self.after is None else codes + xp.like(self.after, codes, self.dtype)
