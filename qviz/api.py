"""The notebook door; pandas is loaded with a table, plotly with a figure, no sooner."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qviz import pipeline
from qviz.errors import QvizError
from qviz.figures import bins, ranges
from qviz.figures.theme import DARK, LIGHT
from qviz.metrics.base import METRICS
from qviz.observers.base import OBSERVERS, Observer
from qviz.observers.selection import select
from qviz.pipeline.comparing import needs_of
from qviz.pipeline.judging import COARSE
from qviz.pipeline.records import Record, record
from qviz.quantizers.affine import typed
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.sources.base import TensorSource, open_file
from qviz.spec import Granularity, QuantSpec, Range, joined
from qviz.stats.gather import gather
from qviz.stats.stream import Stream

__all__ = ["METRICS", "OBSERVERS", "QUANTIZERS", "Comparison", "QvizError", "compare"]
__all__ += ["observe", "open", "quantizer"]
SHARED = ("lo", "hi", "scale", "zero_point")
Observers = str | Observer | Iterable[str | Observer] | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """What observers come to on one tensor: ``rows``, ``table()``, ``figure()``."""

    record: pipeline.Comparison
    stream: Stream

    @property
    def rows(self) -> tuple[pipeline.Row, ...]:
        """One row per observer, in the order asked for; refused ones say why."""
        return self.record.rows

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """One plain record per row: range, qparams and every metric over all groups."""
        return tuple(map(record, self.rows))

    def table(self) -> Any:
        """A pandas DataFrame: one row per observer (its spelling), metrics in columns.

        ``lo`` to ``zero_point`` are there where all elements share them; ``approximate`` names
        what comes from a sketch; ``refused`` is a reason. What does not exist is ``<NA>``.
        """
        import pandas

        spellings, lines = [r.observer for r in self.records], [_line(r) for r in self.records]
        columns: dict[str, Any] = {
            name: pandas.array([line.get(name) for line in lines], dtype="Float64")
            for name in (*SHARED, *METRICS)
        }
        columns["approximate"] = [", ".join(r.approximate) for r in self.records]
        columns["refused"] = [r.refused or "" for r in self.records]
        return pandas.DataFrame(columns, index=pandas.Index(spellings, name="observer"))

    def figure(self, metric: str = "sqnr", dark: bool = False) -> Any:
        """A plotly Figure: histogram and the range each observer keeps, best ``metric`` first."""
        import plotly.graph_objects

        seen = self.record.seen or gather(Stream(self.stream.batches).tiles[0], (COARSE,))
        cells, rows = seen[COARSE].cells, ranges.bars(self.rows, metric)
        drawn, best = bins.linear_bins(cells, *bins.full(cells)), [bar.spelling for bar in rows[:1]]
        palette, facts = (DARK if dark else LIGHT), self.record.facts
        made = ranges.observer_ranges(drawn, rows, best, palette, metric=metric, facts=facts)
        return plotly.graph_objects.Figure(made)


def open(path: str | os.PathLike[str]) -> TensorSource:
    """Open a file as named tensors: ``.names``, ``source["name"]``. Refusals are QvizErrors."""
    return open_file(path)


def compare(  # noqa: PLR0913  each is a choice of its own
    x_or_batches: Any,
    observers: Observers = None,
    bits: int = 8,
    signed: bool = False,
    symmetric: bool = False,
    granularity: str | Granularity = "per_tensor",
    mode: str | Mode = "affine",
    *,
    narrow_range: bool = False,
    reduce_range: bool = False,
    quant_min: int | None = None,
    quant_max: int | None = None,
    batch_axis: int | None = None,
    channel_axis: int | None = None,
    exact: bool = False,
) -> Comparison:
    """Compare observers on one tensor.

    >>> import numpy as np
    >>> x = np.array([-1.0, -0.25, 0.0, 0.5, 1.0], np.float32)
    >>> compare(x, "minmax", bits=2).rows[0].qparams["scale"].round(3)
    array([0.667])

    Parameters
    ----------
    x_or_batches : array, or list of arrays
        NumPy or torch; a list means batches, and so do the slices along ``batch_axis``.
    observers : str, Observer, or list of both
        Spellings (``percentile:keep=99.95``), globs (``torch.*``), ``all``; default: the
        presets of all observers that belong to no framework.
    bits, signed, symmetric, narrow_range, reduce_range, quant_min, quant_max
        Which codes there are.
    granularity, mode : str
        Which elements share a range (``per_tensor``, ``per_channel:0``, ``per_group:-1:32``,
        ``per_token``), and the rule that makes qparams of it.
    channel_axis : int, optional
        Axis of the channels, for the metrics that look at each of them.
    exact : bool
        Judge value by value, whatever the size.
    """
    spec = QuantSpec(bits, signed, symmetric, narrow_range, quant_min, quant_max, reduce_range)
    target, chosen = _target(spec, granularity, mode), select(observers)
    stream = Stream.of(x_or_batches, target.granularity, batch_axis)
    if channel_axis is not None:
        Granularity("per_channel", channel_axis).groups(stream.batches[0].shape)  # is it there?
    elif target.granularity.kind == "per_channel":
        channel_axis = target.granularity.axis
    record = pipeline.compare(stream, chosen, target, exact=exact)
    return Comparison(pipeline.with_channels(record, stream, channel_axis, exact=exact), stream)


def observe(
    x_or_batches: Any,
    observer: str | Observer,
    spec: QuantSpec | None = None,
    granularity: str | Granularity = "per_tensor",
    mode: str | Mode = "affine",
) -> Range:
    """The range that one observer chooses, (groups,); what it covers if it gives qparams itself.

    >>> import numpy as np
    >>> observe(np.array([[-1.0, 2.0], [0.0, 3.0]]), "minmax", granularity="per_channel:0").hi
    array([2., 3.])
    """
    target, chosen = _target(spec or QuantSpec(), granularity, mode), select([observer])
    tiles = Stream.of(x_or_batches, target.granularity).tiles
    seen = (gather(tile, needs_of(chosen, target)) for tile in tiles)
    settled = [pipeline.settle(chosen[0], states, target) for states in seen]
    return joined([s.range or s.covered for s in settled])


def quantizer(  # noqa: PLR0913  a range with its codes, or qparams
    lo: Any = None,
    hi: Any = None,
    *,
    bits: int = 8,
    signed: bool = False,
    symmetric: bool = False,
    mode: str | Mode = "affine",
    scale: Any = None,
    zero_point: Any = 0,
    quant_min: int | None = None,
    quant_max: int | None = None,
) -> Quantizer:
    """A quantizer for the range lo..hi, or from qparams that are known already.

    >>> quantizer(-1, 1, bits=2).step.round(3)
    array([0.667])
    >>> quantizer(scale=0.5, zero_point=0, quant_min=-8, quant_max=7).levels(-1, 1)
    array([[-0.5,  0. ,  0.5]])
    """
    spec = QuantSpec(bits, signed, symmetric, quant_min=quant_min, quant_max=quant_max)
    if (lo is None) != (hi is None) or (lo is None) == (scale is None):
        raise QvizError("Give lo and hi, or scale and zero_point.", "One of both makes a grid.")
    if scale is not None:
        return typed(scale, zero_point, *spec.ends)
    target, asked = _target(spec, "per_tensor", mode), Range(lo, hi)
    if not (np.isfinite(asked.lo) & np.isfinite(asked.hi) & (asked.lo <= asked.hi)).all():
        raise QvizError(f"{lo} to {hi} is no range.", "Both are finite, lo the smaller one.")
    if refused := target.mode.accepts(target):
        raise QvizError(f"{mode} cannot serve here: {refused}.")
    return target.mode.quantizer(asked, spec)


def _target(spec: QuantSpec, granularity: str | Granularity, mode: str | Mode) -> Target:
    if isinstance(granularity, str):
        granularity = Granularity.parse(granularity)
    return Target.of(spec, granularity, mode)


def _line(one: Record) -> dict[str, float | None]:
    metrics = {name: reading.value for name, reading in one.readings.items()}
    return {name: getattr(one, name) for name in SHARED} | metrics
