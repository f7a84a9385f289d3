"""The elements that share the grid on display: the tensor, or one group of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from qviz.metrics.base import Totals
from qviz.pipeline import gather, judge
from qviz.pipeline.element_where import Whole
from qviz.pipeline.judging import ALWAYS, FINE, reads_values, too_coarse
from qviz.pipeline.resolution import COARSE, resolved
from qviz.quantizers.base import Quantizer
from qviz.stats.base import NOTHING, Seen
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Stream, Tile
from qviz.ui.choice import Choice
from qviz.ui.state import known, store
from qviz.xp import Array


@dataclass(frozen=True, eq=False)
class Subject:
    """One group of the chosen tensor with what was seen of it; ``groups`` there are."""

    choice: Choice
    whole: Whole
    group: int
    tile: Tile
    seen: Seen

    @property
    def key(self) -> tuple[Hashable, ...]:
        """Stands for these elements in caches and widget keys."""
        return (*self.choice.key, self.group)

    @property
    def name(self) -> str:
        """The key as the end of a widget's key."""
        return "-".join(map(str, self.key))

    @property
    def facts(self) -> MinMaxState:
        """Extremes and counts."""
        return self.seen[MinMax()]

    @property
    def about(self) -> str:
        """The tensor in words."""
        return self.choice.about

    @property
    def shown(self) -> str:
        """Which group is shown, for a caption; empty where there is one only."""
        n = self.whole.groups
        return f"; group {self.group:,} of {n:,} is shown, each has a grid of its own" * (n > 1)

    @property
    def rows(self) -> list[Array]:
        """Its elements, a row (1, elements) per batch, in the order of their places."""
        return self.whole.group(self.group)

    def totals(self, quantizer: Quantizer, *, exact: bool = False) -> Totals:
        """What the quantizer does to these elements."""
        seen = self.seen
        if not (exact or seen[COARSE].exact or reads_values(self.tile, seen, quantizer)) and (
            too_coarse(seen, quantizer)
        ):
            seen = self.gathered((FINE,))
        return judge(self.tile, seen, quantizer, exact=exact)

    def gathered(self, recipes: tuple) -> Seen:
        """What was seen, with these recipes; what is not known is read and kept."""
        have = store().get(("grid", self.key)) or self.seen
        if not all(recipe in have for recipe in recipes):
            have = gather(self.tile, recipes, have)
            store().put(("grid", self.key), have)
        return have


def whole(choice: Choice) -> Whole:
    """The chosen tensor with its groups."""
    return Whole(choice.item.array(), choice.target.granularity, choice.batch_axis)


def subject(choice: Choice, group: int = 0) -> Subject:
    """One group, read if nobody has read it before."""
    tensor = whole(choice)
    if tensor.groups == 1:
        tile, have = choice.stream().tiles[0], known(choice)
    else:
        tile, have = Stream.of([row.reshape(-1) for row in tensor.group(group)]).tiles[0], NOTHING
    bare = Subject(choice, tensor, group, tile, have)
    seen = store().get(("grid", bare.key))
    if seen is None:
        seen = resolved(tile, gather(tile, ALWAYS, have))
        store().put(("grid", bare.key), seen)
    return replace(bare, seen=seen)
