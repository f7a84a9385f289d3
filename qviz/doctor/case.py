"""A case: what is examined, and the facts that all rules share, computed when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from qviz.doctor.axes import axis_of
from qviz.doctor.channels import Channels
from qviz.doctor.given import Bias, Given
from qviz.errors import QvizError
from qviz.metrics.base import Totals, overall
from qviz.metrics.reading import read
from qviz.models.alone import Outcome
from qviz.observers.base import OBSERVERS, Observer
from qviz.observers.distinct import Distinct
from qviz.observers.minmax import MinMaxObserver
from qviz.pipeline.comparing import compare, needs_of
from qviz.pipeline.judging import COARSE, EXACT_BELOW
from qviz.pipeline.resolution import FINE, resolved
from qviz.pipeline.rows import Row
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Role
from qviz.stats.base import NOTHING, PerBatch, Recipe, Seen
from qviz.stats.cells import Cells
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.moments import Moments
from qviz.stats.stream import Stream
from qviz.transforms.base import Operand

BATCHES = PerBatch(MinMax())
SHARED: tuple[Recipe, ...] = (MinMax(), COARSE, Moments(), Distinct())


@dataclass(frozen=True, eq=False)
class Case:
    """What is examined; what is not known is left out, and rules that need it are skipped.

    ``stream`` are the values, per tensor; ``axis`` that of the channels in a batch, by custom
    where None. ``given`` qparams are used in place of the observer's; ``codes`` were stored under
    them. ``operand`` is what the tensor is multiplied with, added up along the tensor's axis
    ``inner`` (by custom where None); ``following`` is the weight of the layer that reads it, for
    factors that are moved there. ``importance`` weighs elements in a fit; ``symmetric_only`` says
    that the target knows no zero points; ``stored_as`` names a float8 or block format that values
    are cast to; ``have`` are statistics gathered before; ``runs`` tells what reaches a model's
    output with another content of the tensor, its batches one after the other.
    """

    stream: Stream | None = None
    target: Target = field(default_factory=Target.of)
    observer: Observer = field(default_factory=MinMaxObserver)
    role: str = Role.UNKNOWN
    name: str = ""
    axis: int | None = None
    given: Given | None = None
    codes: np.ndarray | None = None
    bias: Bias | None = None
    operand: Operand | None = None
    inner: int | None = None
    following: Operand | None = None
    importance: np.ndarray | None = None
    symmetric_only: bool = False
    stored_as: str = ""
    have: Seen = NOTHING
    runs: Callable[[np.ndarray], Outcome] | None = None
    known: dict[Any, Any] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(x: Any = None, spec: QuantSpec | None = None, **known: Any) -> Case:
        """From an array, or a list of batches; ``observer`` and ``mode`` may be spelled.

        Further words: ``granularity``, ``batch_axis``, and the fields of a case.
        """
        batch_axis, mode = known.pop("batch_axis", None), known.pop("mode", "affine")
        shared = known.pop("granularity", PER_TENSOR)
        shared = Granularity.parse(shared) if isinstance(shared, str) else shared
        stream = None if x is None else Stream.of(x, PER_TENSOR, batch_axis)
        made = known.pop("observer", "minmax")
        made = OBSERVERS.make(made) if isinstance(made, str) else made
        return Case(stream, Target.of(spec, shared, mode), made, **known)

    @property
    def spec(self) -> QuantSpec:
        """Which codes there are."""
        return self.target.spec

    @property
    def per_tensor(self) -> bool:
        """Whether all elements share a step."""
        return self.target.granularity == PER_TENSOR

    @property
    def needs(self) -> tuple[Recipe, ...]:
        """All recipes that are gathered before rules look."""
        several = self.stream is not None and len(self.stream.batches) > 1
        asked = needs_of([self.used], replace(self.target, granularity=PER_TENSOR))
        large = self.stream is not None and self.stream.size >= EXACT_BELOW
        more = (*[BATCHES] * several, *[FINE] * large)
        return tuple(dict.fromkeys((*SHARED, *asked, *more)))

    @cached_property
    def used(self) -> Observer:
        """The observer; qparams that were given take its place."""
        given = self.given
        return self.observer if given is None or not given.sound else given.observer

    @property
    def values(self) -> Stream:
        """The stream. Raises QvizError where there is none."""
        if self.stream is None or not self.stream.size:
            raise QvizError("There are no values.")
        return self.stream

    @cached_property
    def seen(self) -> Seen:
        """Statistics of all elements."""
        tile = self.values.tiles[0]
        return resolved(tile, gather(tile, self.needs, self.have))

    @property
    def facts(self) -> MinMaxState:
        """Extremes and counts of all elements, (1,)."""
        return self.seen[MinMax()]

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest finite element. Raises QvizError where there is none."""
        facts = self.facts
        if not facts.finite[0]:
            raise QvizError("There is no finite element.")
        return float(facts.lo[0]), float(facts.hi[0])

    @property
    def cells(self) -> Cells:
        """The distribution."""
        return self.seen[COARSE].cells

    @cached_property
    def row(self) -> Row:
        """What the observer comes to, all elements judged."""
        if self.per_tensor:
            return compare(self.values, [self.used], self.target, have=self.seen).rows[0]
        granularity = self.target.granularity
        stream = Stream.of(list(self.values.batches), granularity)  # raises where batches differ
        return compare(stream, [self.used], self.target).rows[0]

    @property
    def totals(self) -> Totals:
        """Sums over all elements. Raises QvizError where the observer was refused."""
        return overall(_there(self.row.totals, self.row.refused))

    def metric(self, name: str) -> float | None:
        """One metric of the whole tensor, None where it has no number."""
        return read(name, self.totals)[0].value

    @cached_property
    def channel_axis(self) -> int | None:
        """The axis of channels in a batch: given, by custom, else that along which they differ."""
        along, axis = self.target.granularity, self.axis
        axis = along.axis if axis is None and along.kind == "per_channel" else axis
        return axis_of(self.values, self.role, axis)

    @cached_property
    def channels(self) -> Channels | None:
        """What is known of the channels; None where the tensor has none."""
        axis = self.channel_axis
        if axis is None or len({batch.shape[axis] for batch in self.values.batches}) > 1:
            return None
        return Channels.along(self.values, axis)

    @cached_property
    def grid(self) -> AffineQuantizer:
        """A uniform quantizer of the whole tensor. Raises QvizError where the row has no such."""
        made = _there(self.row.quantizer, self.row.refused)
        zero = _there(getattr(made, "zero_point", None), "Codes do not count from 0.")
        step = _there(made.step, "This grid has no step.")
        if len(step) != 1:
            raise QvizError("There is not one step for the whole tensor.")
        return AffineQuantizer(step, np.atleast_1d(zero), *made.ends)

    @cached_property
    def scales(self) -> np.ndarray:
        """Scales, (groups,), float64. Raises QvizError where there are none."""
        if self.given is not None:
            return self.given.scale
        step = (self.row.qparams or {}).get("scale")
        return np.asarray(_there(step, self.row.refused), np.float64)


def _there(value: Any, reason: str | None) -> Any:
    """The value. Raises QvizError with the reason where it is None."""
    if value is None:
        raise QvizError(reason or "There is not one step for the whole tensor.")
    return value
