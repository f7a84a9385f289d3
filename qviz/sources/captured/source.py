"""The source that a captured model is."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from qviz.errors import QvizError
from qviz.sources.base import TensorInfo, TensorSource
from qviz.sources.captured.gathered import ChannelEnds, Gathered
from qviz.sources.captured.writing import Entry, fitting, values_of, write
from qviz.stats.base import Seen

Replay = Callable[[str], Any]
Ahead = Callable[[Sequence[str]], None]


@dataclass(frozen=True, eq=False)
class Captured(TensorSource):
    """Activations and weights of a model that ran, with what was gathered of them meanwhile.

    ``ops`` names the operation that gives a tensor, or that uses a weight; ``axes`` the axis of
    its channels, where there are any. Values come from ``readers``, else from ``replay``, which
    runs the model once more for one tensor, and ``runs_ahead`` for several at once. ``check`` is
    called before a tensor is used; of a saved capture it raises RefusedFile where the file turns
    out to be damaged.
    """

    title: str
    infos: Mapping[str, TensorInfo]
    skipped: Mapping[str, str]
    ops: Mapping[str, str]
    axes: Mapping[str, int | None]
    gathered: Mapping[str, Gathered] = field(repr=False)
    readers: Mapping[str, Callable[[], Any]] = field(repr=False)
    replay: Replay | None = field(default=None, repr=False)
    runs_ahead: Ahead = field(default=lambda _: None, repr=False)
    check: Callable[[str], None] = field(default=lambda _: None, repr=False)

    def read(self, name: str) -> Any:
        """The values of ``name``, read-only; batches joined along axis 0.

        Raises
        ------
        QvizError
            Only statistics were kept and the model is not at hand, or its run fails; the file
            is damaged.
        """
        self.check(name)
        if name in self.readers:
            array = self.readers[name]()
        elif self.replay is not None:
            array = self.replay(name)
        else:
            raise QvizError(
                f"The values of {name} were not kept.",
                f"{self.title} holds its statistics only.",
                "Capture the model again with --values, or open the model itself.",
            )
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
        return array

    def statistics(self, name: str) -> Seen | None:
        """What was gathered of a tensor per tensor; None where its values must be read."""
        found = self._checked(name)
        return None if found is None else found.seen()

    def channels(self, name: str) -> ChannelEnds | None:
        """Extremes of its channels; None without channels, or where values must be read."""
        found = self._checked(name)
        return None if found is None else found.channels

    def _checked(self, name: str) -> Gathered | None:
        found = self.gathered.get(self.info(name).name)
        if found is not None:
            self.check(name)
        return found

    def has_values(self, name: str) -> bool:
        """Whether reading it needs no run of the model."""
        return self.info(name).name in self.readers

    def lacks(self, name: str) -> int:
        """Bytes of its values that a run of the model is to give; 0 where none is needed."""
        info = self.info(name)
        if self.replay is None or name in self.readers:
            return 0
        return info.size * np.dtype(info.dtype).itemsize

    def ahead(self, names: Sequence[str]) -> None:
        """Run the model once for all of these that need it, before they are read one by one."""
        self.runs_ahead([name for name in names if self.lacks(name)])

    def replaying(self, replay: Replay, ahead: Ahead = lambda _: None) -> Captured:
        """The same source, which runs the model where values were not kept."""
        return replace(self, replay=replay, runs_ahead=ahead)

    def save(self, path: str | os.PathLike[str], *, values: bool = False) -> None:
        """Write an archive that opens again, with the values that are at hand.

        With ``values`` those of all tensors: the model runs again where they are not.

        Raises
        ------
        QvizError
            There are more than one archive holds, or values that are not at hand.
        """
        fitting(len(self.infos), values=values)
        entries = []
        for name, info in self.infos.items():
            array = self.read(name) if values or name in self.readers else None
            kept = None if array is None else values_of(array)
            gathered = self.gathered[name]
            entries.append(Entry(info, self.ops[name], self.axes[name], gathered, kept))
        write(Path(path), self.title, "", entries, self.skipped)
