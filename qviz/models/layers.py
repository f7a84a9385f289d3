"""The table of layers: what each tensor of a model is, and what quantizing it costs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from qviz.errors import QvizError
from qviz.models.cost import LOSSLESS, Cost, cost_of
from qviz.models.facts import Facts, bars, facts_of, graph_of
from qviz.models.model import Model
from qviz.models.scheme import Schemes
from qviz.sources.base import TensorInfo, TensorSource
from qviz.sources.codes import is_integer
from qviz.stats.minmax import MinMax

KEYS = (
    *("name", "op", "role", "shape", "dtype", "min", "max", "kurtosis", "channel_ratio"),
    *("sqnr", "codes_used", "worst_channel"),
)
WHOLE = "Whole numbers are not quantized again."
Told = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class LayerRow:
    """One tensor of a model; docs/capture.md says what each field is."""

    name: str
    op: str | None
    role: str
    shape: tuple[int, ...]
    dtype: str
    min: float | None = None
    max: float | None = None
    kurtosis: float | None = None
    channel_ratio: float | None = None
    sqnr: float | None = None
    codes_used: int | None = None
    worst_channel: int | None = None
    ends: tuple[float, ...] | None = None
    bars: tuple[float, ...] = ()
    loud: tuple[int, ...] = ()
    channels: int = 0
    levels: int = 0
    exact: bool = True
    note: str = ""
    nans: int = 0

    @property
    def lossless(self) -> bool:
        """Whether every element comes back as it was."""
        return self.note == LOSSLESS

    def json(self) -> dict[str, Any]:
        """The keys of ``python -m qviz layers --json``; None where unknown."""
        return {key: _strict(getattr(self, key)) for key in KEYS}


def layer_rows(
    source: TensorSource, schemes: Schemes, progress: Told | None = None
) -> tuple[LayerRow, ...]:
    """A row for each tensor, in the source's order, under the scheme of its role.

    Statistics of a capture serve where they suffice; else values are read, which may run the
    model again. Real numbers stand for codes whose scale is known; the codes have no row.
    """
    names, graph, rows = _shown(source), graph_of(source), []
    for done, name in enumerate(names):
        if progress is not None:
            progress(done, len(names))
        rows.append(layer_row(source, name, schemes, graph))
    return tuple(rows)


def layer_row(
    source: TensorSource, name: str, schemes: Schemes, graph: Model | None = None
) -> LayerRow:
    """The row of one tensor; ``graph`` as in ``facts_of``."""
    info = source.info(name)
    try:
        facts = facts_of(source, name, graph)
    except QvizError as error:
        return LayerRow(name, None, info.role, info.shape, info.dtype, note=str(error))
    if is_integer(info.dtype) or info.dtype == "bool":
        cost = Cost(note=WHOLE)
    else:
        cost = cost_of(source, facts, schemes.of(info.role))
    return _row(info, facts, cost, schemes.of(info.role).spec.levels)


def _row(info: TensorInfo, facts: Facts, cost: Cost, levels: int) -> LayerRow:
    ends = facts.ends
    return LayerRow(
        info.name,
        facts.op or None,
        info.role,
        info.shape,
        info.dtype,
        None if ends is None else ends[0],
        None if ends is None else ends[-1],
        facts.kurtosis,
        facts.ratio,
        cost.sqnr,
        cost.codes_used,
        facts.loudest,
        ends,
        bars(facts.cells, ends),
        facts.loud,
        0 if facts.channels is None else len(facts.channels.lo),
        levels,
        cost.exact,
        cost.note,
        int(facts.seen[MinMax()].nan[0]),
    )


def worst_first(rows: Iterable[LayerRow]) -> list[LayerRow]:
    """Weights and activations by SQNR, lowest first, then biases and unknowns, then the rest."""
    return sorted(rows, key=_rank)


def _rank(row: LayerRow) -> tuple[int, int, float]:
    late = 2 if row.note == WHOLE else int(row.role not in ("weight", "activation"))
    if row.sqnr is not None:
        return late, 0, row.sqnr
    return late, 1 if row.lossless else 2, 0.0


def recurring(rows: Iterable[LayerRow]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Channels that are loud in several activations with as many channels: the most often first."""
    met: dict[tuple[int, int], list[str]] = defaultdict(list)
    for row in rows:
        for channel in row.loud if row.role == "activation" else ():
            met[row.channels, channel].append(row.name)
    often = [(channel, tuple(names)) for (_, channel), names in met.items() if len(names) > 1]
    return tuple(sorted(often, key=lambda found: (-len(found[1]), found[0])))


def holding_nan(rows: Iterable[LayerRow]) -> tuple[LayerRow, ...]:
    """Activations that hold NaN, in their source's order; where none does, other tensors."""
    found = [row for row in rows if row.nans]
    return tuple(row for row in found if row.role == "activation") or tuple(found)


def _shown(source: TensorSource) -> Sequence[str]:
    """All tensors but codes that have their reals beside them."""
    infos = source.infos
    coded = {n for n, i in infos.items() if i.qparams is not None and i.dtype != "float32"}
    return [name for name in infos if name not in coded]


def _strict(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
