"""Shares of few samples: how sure they are, and which of them can be told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z = 1.959963984540054  # standard deviations that hold 95 % of a normal


def wilson(share: float, samples: int) -> tuple[float, float]:
    """Ends of the 95 % interval of a share of so many samples (E. B. Wilson, 1927)."""
    part = Z * Z / samples
    middle = (share + part / 2) / (1 + part)
    half = Z / (1 + part) * math.sqrt(share * (1 - share) / samples + part / (4 * samples))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def tiers(shares: Sequence[float], samples: int) -> list[int]:
    """The tier of each share, 0 the lowest.

    A tier holds its lowest share and all inside the 95 % interval of that one; without a number
    of samples only equal shares are one tier.
    """
    found: dict[float, int] = {}
    tier, end = -1, -math.inf
    for share in sorted(set(shares)):
        if share > end:
            tier, end = tier + 1, wilson(share, samples)[1] if samples else share
        found[share] = tier
    return [found[share] for share in shares]
