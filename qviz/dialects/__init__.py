"""Dialects: the rules of one framework each, named with version and configuration.

Each dialect also says how its recorded vectors are replayed: a function per operation, filed in
REPLAYS under ``set.op``, that takes a Case through the public functions and gives Checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.registry import Registry, Source
from qviz.xp import Array

REPLAYS = Registry("replay", "qviz.dialects")
OPS = Registry("operation", "qviz.dialects")  # what is no quantizer: plain functions


@dataclass(frozen=True)
class Dialect:
    """One framework as it was measured.

    ``prefix`` starts the name of each of its members; ``documents`` are what their sources are
    taken from; ``rounding`` says where ties go, ``compute_dtype`` in which float type its codes
    are computed, ``configuration`` which build of the framework the numbers are those of.
    """

    key: str
    prefix: str
    title: str
    documents: tuple[Source, ...]
    rounding: str
    compute_dtype: str
    configuration: str


@dataclass(frozen=True, eq=False)
class Case:
    """One recorded case.

    ``fields`` is its manifest entry with NumPy arrays in place (``id``, ``op``, ``params``,
    ``inputs``, ``expected`` ...); ``data`` are the set's shared inputs; ``array`` puts an input
    where it is to be computed (NumPy, or a tensor on a device); ``backend`` is its name.
    """

    fields: Mapping[str, Any]
    data: Mapping[str, Any]
    array: Callable[[np.ndarray], Array]
    backend: str

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A field that may be absent."""
        return self.fields.get(name, default)


@dataclass(frozen=True, eq=False)
class Check:
    """One value of a case: what came out, what was recorded, and how near they must be.

    Without a tolerance they must be equal bit for bit in type, shape and value; NaN equals NaN;
    ``signed_zero=False`` lets -0 equal 0. ``ulps`` are units in the last place of ``want``;
    ``rtol`` and ``atol`` as usual, numbers or arrays. Strings and numbers compare by value.
    """

    name: str
    got: Any
    want: Any
    ulps: int = 0
    rtol: Any = 0.0
    atol: Any = 0.0
    signed_zero: bool = True
