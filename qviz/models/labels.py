"""What the samples of a file are labelled with: a whole number each, for the accuracy."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

import numpy as np

from qviz.errors import QvizError
from qviz.sources.base import TensorSource

LABELS = "labels"
LARGEST = 2**53  # below it float64 holds every whole number
_DO = "Give one whole number for each sample, or leave the labels out."


def labels_of(
    source: TensorSource, taken: Collection[str], samples: tuple[int, ...]
) -> np.ndarray | None:
    """The labels in a file, one for each sample, int64; None without any.

    ``taken`` are the arrays that are fed, ``samples`` the lengths of the axes that count samples:
    their number, or batches and samples of one. Whole numbers may be stored as floats, and a
    class as a row of zeros with a single one.

    Raises
    ------
    QvizError
        Labels that do not fit the samples, are no whole numbers, or have another name.
    """
    if LABELS in taken:
        return None
    if LABELS in source.skipped:
        raise QvizError("The labels cannot be read.", source.skipped[LABELS], _DO)
    if LABELS in source.infos:
        return _whole(np.asarray(source[LABELS]), samples)
    count = prod(samples)
    for name, info in source.infos.items():
        whole = info.dtype.startswith(("int", "uint")) and info.shape in ((count,), (count, 1))
        if name not in taken and whole:
            what = f"{name} holds a whole number for each sample, and is no input."
            do = f"Call it {LABELS} to see the accuracy, or leave it out."
            raise QvizError(what, f"The array with the labels is called {LABELS}.", do)
    return None


def _whole(found: np.ndarray, samples: tuple[int, ...]) -> np.ndarray:
    count = prod(samples)
    single = found.shape in ((count,), (count, 1), samples)
    rows = found.ndim == 2 and len(found) == count
    if not single and not rows:
        shape = " x ".join(map(str, found.shape)) or "a single value"
        raise QvizError(f"The labels do not fit {count} samples: they are {shape}.", "", _DO)
    numbers = found.dtype.kind in "iub" or (
        found.dtype.kind == "f" and np.isfinite(found).all() and (found == np.rint(found)).all()
    )
    if not numbers or (np.abs(found.astype(np.float64)) >= LARGEST).any():
        raise QvizError(f"The labels are no whole numbers, but {found.dtype}.", "", _DO)
    if single:
        return found.reshape(-1).astype(np.int64)
    if not (((found == 0) | (found == 1)).all() and (found.sum(axis=1) == 1).all()):
        why = f"A row of {found.shape[1]} numbers is no class, unless all are 0 but a single 1."
        raise QvizError("The labels name no classes.", why, _DO)
    return found.argmax(axis=1).astype(np.int64)
