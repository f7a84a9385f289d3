"""Two models, or two captures of one, side by side: what differs in each tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.metrics.base import decibels
from qviz.models.readahead import ahead, groups
from qviz.sources.base import TensorInfo, TensorSource
from qviz.sources.codes import VALUES, is_integer

PIECE = 2**20  # elements compared at a time
ENDINGS = ("_DequantizeLinear_Output", "_dequantized", "_quantized", "_fake_quantize")
STARTS = ("module.", "model.")
PARAMETERS = ("_scale", "_zero_point", ".scale", ".zero_point")
SAME = "Both are the same, bit for bit."
SILENT = "The signal is zero throughout."
Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Pair:
    """A tensor of the first source, and that of the second it was matched with.

    ``sqnr`` is 10 log10(sum s^2 / sum (b - a)^2) in dB, None where nothing differs or there is no
    number (``note`` says why); ``max_difference`` the largest |b - a|. The signal s is a, but b
    where only a was decoded from codes: the float side is meant, whichever comes first.
    """

    name: str
    other: str
    role: str
    shape: tuple[int, ...]
    sqnr: float | None = None
    max_difference: float | None = None
    note: str = ""

    @property
    def same(self) -> bool:
        """Whether no element differs."""
        return self.note == SAME


@dataclass(frozen=True)
class Pairs:
    """Pairs in the order of the first source, and the names that found no partner."""

    rows: tuple[Pair, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]

    def worst_first(self) -> list[Pair]:
        """The lowest SQNR first, then those without a number."""
        return sorted(self.rows, key=lambda row: (row.sqnr is None, row.sqnr or 0.0))


def pairs(a: TensorSource, b: TensorSource, progress: Told | None = None) -> Pairs:
    """Tensors of two sources matched by name, each with what differs.

    Where a source holds codes and their reals, the reals count; a scale is then no tensor of its
    own. Names are compared without what quantizers and wrappers add to them.
    """
    first, second = _keyed(a), _keyed(b)
    both = [(first[key], second[key]) for key in first if key in second]
    rows: list[Pair] = []
    for group in groups((a, b), both):
        _tell(progress, len(rows), len(both))
        ahead(
            (a, b), [names for names in group if not _refusal(a.info(names[0]), b.info(names[1]))]
        )
        for name, other in group:
            _tell(progress, len(rows), len(both))
            rows.append(_pair(a, b, name, other))
    return Pairs(
        tuple(rows),
        tuple(name for key, name in first.items() if key not in second),
        tuple(name for key, name in second.items() if key not in first),
    )


def _tell(progress: Told | None, done: int, count: int) -> None:
    if progress is not None:
        progress(done, count)


def _pair(a: TensorSource, b: TensorSource, name: str, other: str) -> Pair:
    info, second = a.info(name), b.info(other)
    made = Pair(name, other, info.role, info.shape)
    if refusal := _refusal(info, second):
        return _noted(made, refusal)
    try:
        turned = _decoded(name) and not _decoded(other)
        return _compared(made, *((b[other], a[name]) if turned else (a[name], b[other])))
    except QvizError as error:
        return _noted(made, str(error))


def _refusal(info: TensorInfo, second: TensorInfo) -> str:
    """Why the two are not compared; empty where they are."""
    if info.shape != second.shape:
        shapes = " and ".join("x".join(map(str, s)) or "one" for s in (info.shape, second.shape))
        return f"Shapes differ: {shapes}."
    if is_integer(second.dtype) and not is_integer(info.dtype):
        return "The other holds codes whose scale is not known."
    return ""


def _decoded(name: str) -> bool:
    """Whether it is what comes back of codes, by its name."""
    return name.endswith((VALUES, *ENDINGS))


def _compared(made: Pair, x: object, y: object) -> Pair:
    signal, noise, largest = 0.0, 0.0, 0.0
    with np.errstate(over="ignore"):
        for p, q in _pieces(x, y):
            e = q - p
            signal, noise = signal + float(p @ p), noise + float(e @ e)
            largest = max(largest, float(np.abs(e).max(initial=0.0)))
    if largest == 0:
        return Pair(made.name, made.other, made.role, made.shape, None, 0.0, SAME)
    value = float(decibels(np.array([signal]), np.array([noise]))[0])
    sqnr, note = (value, "") if math.isfinite(value) else (None, SILENT)
    return Pair(made.name, made.other, made.role, made.shape, sqnr, largest, note)


def _pieces(x: object, y: object) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Float64 pieces of both, without elements that either has not finite."""
    flat = [xp.enter(v).reshape(-1) for v in (x, y)]
    for start in range(0, len(flat[0]), PIECE):
        p, q = (_float64(v[start : start + PIECE]) for v in flat)
        there = np.isfinite(p) & np.isfinite(q)
        yield (p, q) if there.all() else (p[there], q[there])


def _float64(values: object) -> np.ndarray:
    return xp.host(xp.working(values)).astype(np.float64)


def _noted(made: Pair, note: str) -> Pair:
    return Pair(made.name, made.other, made.role, made.shape, note=note)


def _keyed(source: TensorSource) -> dict[str, str]:
    """Names by what they have in common with the other source's; reals rather than codes."""
    keyed: dict[str, str] = {}
    for name in source.names:
        key = _key(name)
        if key not in keyed or name.endswith((VALUES, ENDINGS[0])):
            keyed[key] = name
    return {key: name for key, name in keyed.items() if not _belongs(key, keyed)}


def _belongs(key: str, keyed: Mapping[str, str]) -> bool:
    """Whether it is the scale or zero point of another tensor."""
    of = next((key.removesuffix(end) for end in PARAMETERS if key.endswith(end)), "")
    return bool(of) and keyed.get(of, of) != of


def _key(name: str) -> str:
    for start in STARTS:
        name = name.removeprefix(start)
    name = name.removesuffix(VALUES)
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name
