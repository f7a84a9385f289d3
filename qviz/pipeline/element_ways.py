"""Ways of computing x / scale, and how close each one comes to a decision boundary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WAYS = (
    "x ÷ s in float32",
    "x × (1/s) in float32",
    "x ÷ s in float64, s in float32",
    "x ÷ s all in float64",
)
LARGEST = 2.0**22  # quotients from which float32 has no half steps


@dataclass(frozen=True)
class Way:
    """One way of computing the quotient.

    ``quotient`` in steps from 0; ``boundary`` the half step it is compared with; ``ulps`` how
    far the quotient lies beyond it, in float32 ulps of the boundary, 0 on a tie. ``even`` and
    ``away`` are the steps it is rounded to under the two rules for ties.
    """

    name: str
    quotient: float
    boundary: float
    ulps: float
    even: int
    away: int


def quotients(x: np.ndarray, scale: float) -> tuple[np.ndarray, ...]:
    """Quotients x / scale in the four ways, each float64; x is float32 or float64.

    Which way a framework goes is part of its rule, and near a tie the four differ.
    """
    with np.errstate(all="ignore"):
        short, s = np.asarray(x).astype(np.float32), np.float32(scale)
        return (
            np.divide(short, s).astype(np.float64),
            np.multiply(short, np.float32(1) / s).astype(np.float64),
            np.divide(short.astype(np.float64), np.float64(s)),
            np.divide(np.asarray(x).astype(np.float64), np.float64(scale)),
        )


def ways(x: float, scale: float, end: float | None = None) -> tuple[Way, ...]:
    """Every way for one value; none where the quotient is not finite or beyond 2^22.

    ``end`` is the boundary of a clipped value, in steps; else the nearest half step counts.
    """
    found = [float(q[0]) for q in quotients(np.array([x], np.float64), scale)]
    if not (np.isfinite(found).all() and scale > 0) or np.abs(found).max() > LARGEST:
        return ()
    boundary = float(np.floor(found[-1]) + 0.5) if end is None else end
    ulp = float(np.spacing(np.float32(abs(boundary))))
    return tuple(
        Way(name, q, boundary, (q - boundary) / ulp, int(np.rint(q)), _away(q))
        for name, q in zip(WAYS, found, strict=True)
    )


def _away(q: float) -> int:
    whole = np.trunc(q)
    return int(whole + (np.sign(q) if abs(q - whole) >= 0.5 else 0.0))


def ties(x: np.ndarray, scale: float) -> np.ndarray:
    """Whether any way puts a value exactly half-way between two steps, bool."""
    out = np.zeros(np.shape(x), bool)
    for q in quotients(x, scale):
        with np.errstate(all="ignore"):
            out |= (np.abs(q - np.floor(q) - 0.5) == 0) & (np.abs(q) < LARGEST)
    return out
