"""What the controls of the page say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qviz.observers.base import OBSERVERS, Observer
from qviz.stats.stream import Stream


@dataclass(frozen=True, eq=False)
class Look:
    """What is looked at, and how.

    ``stream`` has the channels along ``axis``; ``group`` is the word for one of them. ``key``
    stands for content, axis and group in the keys of widgets; ``gains`` is the place for the
    line of granularities.
    """

    stream: Stream
    axis: int
    group: str
    activation: bool
    observer: Observer
    sort: str
    threshold: float
    only: str
    key: str
    gains: Any

    @property
    def size(self) -> int:
        """Elements of a group, where there is one axis."""
        return int(self.stream.batches[0].shape[-1])

    @property
    def own(self) -> str:
        """What has a range of its own: ``channel``, ``groups of 16``."""
        return f"groups of {self.size}" if self.group == "group" else self.group

    @property
    def title(self) -> str:
        """The rule in words."""
        return OBSERVERS.title_of(self.observer)

    @property
    def spelling(self) -> str:
        """The rule's identity."""
        return OBSERVERS.spell(self.observer)
