"""What a comparison gives: a row for each observer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.metrics.base import Totals
from qviz.observers.base import OBSERVERS, Observer
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMaxState


@dataclass(frozen=True, eq=False)
class Row:
    """What one observer comes to.

    ``refused`` is the reason why it cannot serve; all else is then None. ``range`` is what was
    asked for, None where the observer gave qparams itself; ``covered`` is what the grid spans.
    ``qparams`` holds scale and zero_point (groups,) or None; ``quantizer`` is kept where the
    tensor is one tile. ``channels`` are the totals of each channel under the same qparams.
    """

    observer: Observer
    refused: str | None = None
    range: Range | None = None
    covered: Range | None = None
    qparams: dict[str, np.ndarray | None] | None = None
    ends: tuple[int, int] | None = None
    quantizer: Quantizer | None = None
    totals: Totals | None = None
    channels: Totals | None = None

    @property
    def spelling(self) -> str:
        """Name and knobs: the row's identity."""
        return OBSERVERS.spell(self.observer)

    @property
    def title(self) -> str:
        """The words on screen."""
        return OBSERVERS.title_of(self.observer)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Rows in the order asked for; ``seen`` holds the statistics where the tensor is one tile.

    ``facts`` are the extremes and counts per group.
    """

    rows: tuple[Row, ...]
    target: Target
    facts: MinMaxState
    seen: Seen | None

    @property
    def served(self) -> tuple[Row, ...]:
        """Rows that were not refused."""
        return tuple(row for row in self.rows if row.refused is None)
