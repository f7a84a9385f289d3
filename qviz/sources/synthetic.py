"""Samples: tensors made on the spot, each showing one thing that quantization meets."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from qviz.registry import Registry, Source
from qviz.sources.base import TensorInfo, TensorSource

GENERATORS = Registry("generator", "qviz.sources")
SOURCE = Source("qviz", "sample tensors", "1")  # a changed sample needs a new version
Generator = Callable[[], np.ndarray]


def generator(
    name: str,
    *,
    shape: tuple[int, ...],
    about: str,
    role: str = "activation",
    batch_axis: int | None = None,
    title: str = "",
) -> Callable[[Generator], Generator]:
    """File a function that makes one float32 sample of the stated shape, always the same."""
    title = title or name.capitalize().replace("_", " ")
    notes = {"shape": shape, "about": about, "role": role, "batch_axis": batch_axis}
    return GENERATORS.register(name, title=title, source=SOURCE, **notes)


class Samples(TensorSource):
    """The registered samples; each is made when it is read."""

    title = "samples"
    skipped: Mapping[str, str] = MappingProxyType({})

    @cached_property
    def infos(self) -> dict[str, TensorInfo]:
        """Shape, role and lesson of each sample, in alphabetical order."""
        return {name: _info(name) for name in GENERATORS}

    def read(self, name: str) -> Any:
        """The sample called ``name``: float32, read-only."""
        array = GENERATORS[name]()
        array.flags.writeable = False
        return array


def _info(name: str) -> TensorInfo:
    entry = GENERATORS.entry(name)
    notes = entry.notes
    shape, role, axis = notes["shape"], notes["role"], notes["batch_axis"]
    mark = hashlib.blake2b(repr((str(SOURCE), name, shape)).encode(), digest_size=16).hexdigest()
    return TensorInfo(name, shape, "float32", mark, role, axis, notes["about"], entry.title)
