"""Take every case of a set through the dialects' replays, and report what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qviz.dialects import REPLAYS, Case
from qviz.errors import QvizError
from qviz.golden.compare import difference
from qviz.golden.vectors import Vectors
from qviz.xp import Array

FAULTS = (ArithmeticError, AttributeError, LookupError, NotImplementedError, RuntimeError)
BACKENDS = ("numpy", "torch")


@dataclass(frozen=True)
class Failure:
    """A case that failed, and where it first differs."""

    case: str
    op: str
    words: str


@dataclass(frozen=True)
class Report:
    """What a replay came to. ``not_covered`` counts cases by operation."""

    passed: int = 0
    failures: tuple[Failure, ...] = ()
    skipped: int = 0
    not_covered: Mapping[str, int] = field(default_factory=dict)

    @property
    def closing(self) -> str:
        """``N passed, M failed``, with skipped and not covered ones where there are any."""
        words = [f"{self.passed} passed", f"{len(self.failures)} failed"]
        words += [f"{self.skipped} skipped"] * (self.skipped > 0)
        if self.not_covered:
            names = ", ".join(f"{op} {n}" for op, n in sorted(self.not_covered.items()))
            words.append(f"{sum(self.not_covered.values())} not covered ({names})")
        return ", ".join(words)


def replay(vectors: Vectors, backend: str = "numpy", device: str = "cpu") -> Report:
    """Replay a set with inputs as NumPy arrays, or as torch tensors on a device."""
    array = _arrays(backend, device)
    passed, skipped, failures, missing = 0, 0, [], Counter[str]()
    for fields in vectors.cases:
        name = f"{vectors.name}.{fields['op']}"
        if fields.get("binding") is False:
            skipped += 1
        elif name not in REPLAYS:
            missing[fields["op"]] += 1
        else:
            words = _play(REPLAYS[name], Case(fields, vectors.data, array, backend))
            if words is None:
                passed += 1
            else:
                failures.append(Failure(str(fields["id"]), fields["op"], words))
    return Report(passed, tuple(failures), skipped, dict(missing))


def _play(play: Callable[[Case], Any], case: Case) -> str | None:
    """The first difference of a case; an error nobody recorded is one too."""
    try:
        differences = (difference(check) for check in play(case))
        return next((words for words in differences if words is not None), None)
    except QvizError as error:
        return f"refused: {error}"
    except (*FAULTS, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def _arrays(backend: str, device: str) -> Callable[[np.ndarray], Array]:
    if backend not in BACKENDS:
        raise QvizError(f"No backend is called {backend!r}.", f"Known: {', '.join(BACKENDS)}.")
    if backend == "numpy":
        if device != "cpu":
            raise QvizError("NumPy arrays lie in main memory.", "", "Use --backend torch.")
        return lambda x: x
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise QvizError("There is no CUDA device here.", "torch finds none.", "Use --device cpu.")
    return lambda x: torch.from_numpy(np.array(x)).to(device)
