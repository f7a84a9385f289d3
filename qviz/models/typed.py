"""Arrays in the type that an input takes: rounded to it at most, never changed otherwise."""

from __future__ import annotations

import numpy as np

from qviz.errors import QvizError
from qviz.models.declared import Input


def checked(array: np.ndarray, one: Input) -> np.ndarray:
    """The same, where its kind of numbers can be those of the input. Raises QvizError else."""
    kind, want = array.dtype.kind, np.dtype(one.dtype).kind
    if (want in "iub" and kind == "f") or kind not in "fiub":
        raise _changing(one, str(array.dtype), f"Save it as {one.dtype}.")
    return array


def typed(array: np.ndarray, one: Input) -> np.ndarray:
    """The elements in the type of the input. Raises QvizError where one lies beyond its range."""
    with np.errstate(all="ignore"):
        made = np.ascontiguousarray(array, np.dtype(one.dtype))
    if made.dtype == array.dtype:
        return made
    kept = np.isfinite(made) | ~np.isfinite(array) if made.dtype.kind == "f" else made == array
    if not kept.all():
        first = array[~kept].flat[0]
        raise _changing(one, f"{first} of {array.dtype}", "Give values within its range.")
    return made


def _changing(one: Input, given: str, do: str) -> QvizError:
    what = f"The input {one.name} takes {one.dtype}, not {given}."
    return QvizError(what, "Converting would change its values.", do)
