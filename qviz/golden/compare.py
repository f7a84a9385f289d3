"""Where two values first differ, bit for bit or within a stated tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects import Check


def difference(check: Check) -> str | None:
    """The first differing element in words, or None where the check holds."""
    if not isinstance(check.want, np.ndarray):
        got = check.got.item() if isinstance(check.got, np.generic) else check.got
        same = got == check.want or (got != got and check.want != check.want)
        return None if same else f"{check.name}: got {got!r}, recorded {check.want!r}"
    got, want = np.asarray(_host(check.got)), check.want
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{check.name}: got {got.dtype}{got.shape}, recorded {want.dtype}{want.shape}"
    wrong = np.flatnonzero(~np.atleast_1d(_holds(check, got, want)))
    if not len(wrong):
        return None
    at = int(wrong[0])
    one, other = got.reshape(-1)[at], want.reshape(-1)[at]
    return (
        f"{check.name}[{at}]: got {one!r}, recorded {other!r} ({len(wrong)} of {want.size} differ)"
    )


def _host(value: Any) -> Any:
    tensor = hasattr(value, "dtype") and not isinstance(value, np.generic)
    return xp.host(value) if tensor else value


@np.errstate(all="ignore")
def _holds(check: Check, got: np.ndarray, want: np.ndarray) -> np.ndarray:
    if want.dtype.kind not in "f":
        return (got == want) | (np.abs(got.astype(float) - want.astype(float)) <= check.atol)
    bits = f"u{want.dtype.itemsize}"
    equal = np.ascontiguousarray(got).view(bits) == np.ascontiguousarray(want).view(bits)
    equal = equal.reshape(want.shape) | (np.isnan(got) & np.isnan(want))
    if not check.signed_zero:
        equal |= got == want
    step = check.ulps * np.spacing(np.abs(want)).astype(np.float64)
    bound = np.maximum(step, check.rtol * np.abs(want.astype(np.float64)) + check.atol)
    near = np.abs(got.astype(np.float64) - want.astype(np.float64)) <= bound
    return equal | (near & (bound > 0))
