"""Captures a torch module by forward hooks, in this process."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.models.calling import listed
from qviz.models.model import activation_axis
from qviz.models.tally import Tally
from qviz.models.watching import Watch
from qviz.sources.base import TensorInfo, guess_role
from qviz.sources.captured.gathered import Gathered
from qviz.sources.captured.source import Captured


@dataclass(frozen=True, eq=False)
class Watched(Captured):
    """A torch module that ran."""

    def save(self, path: str | os.PathLike[str], *, values: bool = False) -> None:
        """Write it as ``Captured`` does; types that NumPy lacks become float32, which holds them.

        Raises
        ------
        QvizError
            It cannot be written there.
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


def capture(
    module: Any,
    batches: Iterable[Any],
    modules: Sequence[str] | None = None,
    *,
    keep_mode: bool = False,
) -> Captured:
    """Run a torch module on batches and keep statistics of what its modules give.

    It runs in eval mode without gradients. Afterwards its mode, its buffers and torch's random
    numbers are as before. Parameters are there as weights. Reading a tensor runs the module once
    more, so keep both as they are.

    >>> import torch, qviz
    >>> seen = qviz.capture(torch.nn.Linear(4, 2), [torch.ones(8, 4)])
    >>> seen.info("output").shape
    (8, 2)

    Parameters
    ----------
    batches : list, loader, or one batch
        A batch is an argument, a tuple of arguments or a dict of keyword arguments; of tensors,
        or NumPy arrays, which become tensors of the module's own float type.
    modules : list of str, optional
        Names as in ``module.named_modules()``. By default all, but those that hold others only
        where they give something new, such as the sum at the end of a block. Functions called in
        ``forward`` are no modules: export to ONNX to see what they give.
    keep_mode : bool
        Run in the mode that each module is in: with dropout, say, in training mode.

    Raises
    ------
    QvizError
        It is no torch module, has no module of that name, does not take these batches, or none
        was given.
    """
    _check(module)
    fed, names = listed(batches), [modules] if isinstance(modules, str) else modules
    watch = Watch.of(module, fed, names, keep_mode)
    tallies: dict[str, Tally] = {}
    ops: dict[str, str] = {}
    skipped: dict[str, str] = {}

    def took(name: str, op: str, value: Any) -> None:
        try:
            _tally(tallies, name, op, value)
            ops[name] = op
        except QvizError as error:
            skipped[name] = str(error)

    skipped |= watch.unseen(watch.run(took))
    if not tallies:
        raise QvizError("Nothing was captured.", "No module gave a tensor.", "Give it batches.")
    return _source(watch, (tallies, ops, skipped))


def _check(module: Any) -> None:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(module, torch.nn.Module):
        what = f"A {type(module).__name__} is no torch module."
        raise QvizError(what, "Modules are watched by their hooks.", "Give the module itself.")
    is_lazy = torch.nn.parameter.is_lazy
    if any(map(is_lazy, chain(module.parameters(), module.buffers()))):
        why = "They get one when it first runs."
        raise QvizError("Some parameters have no shape yet.", why, "Run it on a batch first.")


def _source(
    watch: Watch, found: tuple[dict[str, Tally], dict[str, str], dict[str, str]]
) -> Captured:
    module, (tallies, ops, skipped) = watch.module, found
    gathered = {name: tally.gathered() for name, tally in tallies.items()}
    infos = {name: _info(name, tally, "activation") for name, tally in tallies.items()}
    readers: dict[str, Callable[[], Any]] = {}
    for name, value in module.state_dict().items():
        array = _host(value)
        if array is None:
            skipped.setdefault(name, f"A {type(value).__name__} is no tensor of real numbers.")
        if name in infos or array is None:
            continue
        tally = Tally(value, 0 if array.ndim > 1 else None)
        infos[name] = _info(name, tally, guess_role(name, tally.shape))
        gathered[name], ops[name] = tally.gathered(), _owner(module, name)
        readers[name] = array.view
    axes = {name: _axis(found) for name, found in gathered.items()}
    title = type(module).__name__
    return Watched(title, infos, skipped, ops, axes, gathered, readers, _replay(watch))


def _axis(gathered: Gathered) -> int | None:
    return None if gathered.channels is None else gathered.channels.axis


def _info(name: str, tally: Tally, role: str) -> TensorInfo:
    mark = uuid.uuid4().hex  # a module may change, so no content is ever taken for another
    splits = tally.splits if role == "activation" and tally.shape else ()
    return TensorInfo(name, tally.shape, tally.dtype, mark, role, splits=splits)


def _replay(watch: Watch) -> Callable[[str], Any]:
    def replay(wanted: str) -> np.ndarray:
        parts: list[np.ndarray] = []

        def took(name: str, op: str, value: Any) -> None:
            array = _host(value) if name == wanted else None
            parts.extend([] if array is None else [np.array(array)])

        watch.run(took)
        alike = len({part.shape[1:] for part in parts}) == 1 and parts[0].ndim
        return np.concatenate(parts if alike else [part.reshape(-1) for part in parts])

    return replay


def _tally(tallies: dict[str, Tally], name: str, op: str, value: Any) -> None:
    if not hasattr(value, "detach"):
        raise QvizError(f"A {type(value).__name__} is no tensor.")
    x = xp.enter(value)
    if name in tallies:
        tallies[name].add(x)
    else:
        rank = len(x.shape)
        first = op.startswith(("Conv", "BatchNorm", "InstanceNorm"))
        tallies[name] = Tally(x, activation_axis("Conv" if first else "", rank))


def _host(value: Any) -> np.ndarray | None:
    """The values as a NumPy array; float32 for types that NumPy lacks, None for no numbers."""
    try:
        x = xp.enter(value)
    except QvizError:
        return None
    return x if isinstance(x, np.ndarray) else xp.host(xp.working(x))


def _owner(module: Any, name: str) -> str:
    owner = name.rpartition(".")[0]
    return type(dict(module.named_modules())[owner]).__name__
