"""The source that a torch module is after it ran: its values come from further runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.models.watching import Watch
from qviz.sources.captured.agreeing import disagreement
from qviz.sources.captured.source import Captured

CHANGED = "The module has changed since, or holds state that is no buffer, or draws without torch."
AGAIN = "Register such state as a buffer, draw with torch, and capture it again."


@dataclass(frozen=True, eq=False)
class Watched(Captured):
    """A torch module that ran. What it gives in another run is what was counted, or refused."""

    def read(self, name: str) -> Any:
        """The values of ``name``; of what a module gives from a further run.

        Raises
        ------
        QvizError
            They are not those that were counted.
        """
        array = Captured.read(self, name)
        if off := disagreement(self.info(name), self.gathered[name], array):
            raise QvizError(f"The values of {name} are not those counted ({off}).", CHANGED, AGAIN)
        return array

    def save(self, path: str | os.PathLike[str], *, values: bool = False) -> None:
        """Write it as ``Captured`` does; types that NumPy lacks become float32, which holds them.

        Raises
        ------
        QvizError
            It cannot be written there, or values are not those that were counted.
        """
        known = {
            name: info if info.dtype in np.sctypeDict else replace(info, dtype="float32")
            for name, info in self.infos.items()
        }
        try:
            Captured.save(replace(self, infos=known), path, values=values)
        except OSError as error:
            what, why = f"{os.fspath(path)} cannot be written.", f"{error.strerror}."
            raise QvizError(what, why, "Check its folder, and what room there is.") from error


def replay(watch: Watch) -> Callable[[str], Any]:
    """Gives what one tensor holds in a further run, batches joined as they were."""

    def again(wanted: str) -> np.ndarray:
        parts: list[np.ndarray] = []

        def took(name: str, op: str, value: Any) -> None:
            array = host(value) if name == wanted else None
            parts.extend([] if array is None else [np.array(array)])

        watch.run(took)
        if not parts:
            raise QvizError(f"{wanted} was not given in another run.", CHANGED, AGAIN)
        return _joined(parts)

    return again


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    alike = len({part.shape[1:] for part in parts}) == 1 and parts[0].ndim
    joined = np.concatenate(parts if alike else [part.reshape(-1) for part in parts])
    with np.errstate(all="ignore"):  # of another type than that of the first batch
        return joined.astype(parts[0].dtype, copy=False)


def host(value: Any) -> np.ndarray | None:
    """The values as a NumPy array; float32 for types that NumPy lacks, None for no numbers."""
    try:
        x = xp.enter(value)
    except QvizError:
        return None
    return x if isinstance(x, np.ndarray) else xp.host(xp.working(x))
