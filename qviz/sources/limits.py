"""What numbers of an element type lose on the way: sentences for people."""

from __future__ import annotations

import numpy as np

EXACT = 2**53  # whole numbers up to here are exact in float64, in which wide integers are counted
WIDE = ("int64", "uint64")
FLOAT32 = float(np.finfo(np.float32).max)


def caveats(dtype: str, largest: float) -> list[str]:
    """What to know of a tensor of this type whose largest finite magnitude is ``largest``."""
    found = []
    if dtype in WIDE and largest > EXACT:
        found.append("Integers above 2^53 are counted as the nearest float64: not all are exact.")
    if dtype == "float64" and largest > FLOAT32:
        found.append(
            f"The largest magnitude, {largest:.4g}, does not fit float32, which ends at 3.403e+38: "
            "a framework that keeps ranges in float32 makes it infinite."
        )
    return found
