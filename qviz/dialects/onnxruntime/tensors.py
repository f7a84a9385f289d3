"""What ONNX Runtime's calibrators take and give: readers of tensors, and records by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.xp import Array

KNOWN = ("avg", "std", "lowest", "highest", "hist", "hist_edges", "bins")


class CalibrationMethod(Enum):
    """The four methods."""

    MinMax = 0
    Entropy = 1
    Percentile = 2
    Distribution = 3


class TensorData:
    """What was found out about one tensor; attributes are those of KNOWN that were given.

    Raises
    ------
    InvalidValue
        Another attribute.
    """

    def __init__(self, **found: Any) -> None:
        for name, value in found.items():
            if name not in KNOWN:
                raise InvalidValue(f"{name!r} is no attribute.", f"Known: {', '.join(KNOWN)}.")
            setattr(self, name, value)

    @property
    def range_value(self) -> tuple[Array, Array]:
        """(lowest, highest)."""
        return self.lowest, self.highest  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def avg_std(self) -> tuple[Array, Array]:
        """(avg, std)."""
        return self.avg, self.std  # pyright: ignore[reportAttributeAccessIssue]


class TensorsData(dict[str, TensorData]):
    """TensorData by name, and the method behind them."""

    def __init__(self, calibration_method: CalibrationMethod, data: Mapping[str, Any]) -> None:
        self.calibration_method = calibration_method
        super().__init__({name: _record(value) for name, value in data.items()})


def _record(value: Any) -> TensorData:
    if isinstance(value, TensorData):
        return value
    names = ("lowest", "highest", "hist", "bins")[: len(value)]
    return TensorData(**dict(zip(names, value, strict=True)))


def read(data_reader: Any) -> dict[str, list[Array]]:
    """All tensors of a reader, one list per name.

    ``data_reader`` has ``get_next()``, which gives ``{name: array}`` and at last None, or is an
    iterable of such dicts.

    Raises
    ------
    InvalidValue
        It gives nothing.
    """
    found: dict[str, list[Array]] = {}
    for step in _steps(data_reader):
        for name, x in step.items():
            found.setdefault(name, []).append(x)
    if not found:
        raise InvalidValue("No data is collected.", "The reader gives nothing.", "Add batches.")
    return found


def _steps(reader: Any) -> Iterator[Mapping[str, Any]]:
    if not hasattr(reader, "get_next"):
        yield from reader
        return
    while step := reader.get_next():
        yield step


def joined(given: Any) -> Array:
    """An array, or the elements of a list of arrays, flat."""
    parts = given if isinstance(given, list | tuple) else [given]
    flat = [xp.enter(part).reshape(-1) for part in parts]
    ns = xp.namespace(flat[0])
    return flat[0] if len(flat) == 1 else ns.concatenate(flat)


def model_of(given: Any) -> Array:
    """Nothing of an array, or of the first of a list: enough to tell its kind and device."""
    first = given[0] if isinstance(given, list | tuple) else given
    return first.reshape(-1)[:0] if hasattr(first, "reshape") else np.zeros(0)


def beside(value: Any, x: Any) -> Any:
    """A NumPy value as the kind of array that ``x`` is, on its device."""
    ns = xp.namespace(x)
    return np.asarray(value) if ns is np else ns.from_numpy(np.array(value)).to(x.device)
