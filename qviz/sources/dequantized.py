"""The reals of codes whose scale and zero point a person typed, as a tensor of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from qviz.sources.base import TensorInfo, TensorSource
from qviz.sources.codes import VALUES, Scaled, dequantize


class Dequantized(TensorSource):
    """One tensor, float32: scale · (code − zero_point) of the codes that ``read`` gives."""

    skipped: Mapping[str, str] = MappingProxyType({})

    def __init__(self, codes: TensorInfo, read: Callable[[], Any], q: Scaled) -> None:
        name = self.title = codes.name + VALUES
        words = (codes.fingerprint, q.scale.tolist(), q.zero_point.tolist(), q.axis)
        mark = hashlib.blake2b(repr(words).encode(), digest_size=16).hexdigest()
        about = f"Dequantized from {codes.dtype} codes: {q.words}, as typed."
        self._read, self._q, self._kept = read, q, None
        self.infos = {
            name: TensorInfo(
                name, codes.shape, "float32", mark, codes.role, codes.batch_axis, about, qparams=q
            )
        }

    def read(self, name: str) -> Any:
        """The values, computed once; read-only."""
        if self._kept is None:
            self._kept = dequantize(self._read(), self._q)
            self._kept.flags.writeable = False
        return self._kept
