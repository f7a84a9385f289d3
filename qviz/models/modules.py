"""Captures a torch module by forward hooks, in this process."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from qviz import xp
from qviz.errors import QvizError
from qviz.models.axes.kinds import module_axis, weight_axis
from qviz.models.calling import listed, undisturbed
from qviz.models.naming import class_of, compiled, computed, named
from qviz.models.tally import Tally
from qviz.models.watched import Watched, host, replay
from qviz.models.watching import COMPILED, NOT_COMPILED, Watch
from qviz.sources.base import TensorInfo, guess_role
from qviz.sources.captured.gathered import Gathered
from qviz.sources.captured.source import Captured


@dataclass(frozen=True, eq=False)
class _Found:
    """What a run gathers, by name: statistics, operations, and what is not captured."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    ops: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def took(self, name: str, op: str, value: Any) -> None:
        """Take in what a module gave."""
        try:
            _tally(self.tallies, name, op, value)
            self.ops[name] = op
        except QvizError as error:
            self.skipped[name] = str(error)


def capture(
    module: Any,
    batches: Iterable[Any],
    modules: Iterable[str] | None = None,
    *,
    keep_mode: bool = False,
) -> Captured:
    """Run a torch module on batches and keep statistics of what its modules give.

    It runs in eval mode without gradients. Afterwards its mode, its parameters and buffers, and
    torch's random numbers are as before. Parameters are there as weights, as are weights that are
    computed from them. Reading a tensor runs the module once more, so keep both as they are.

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
        Names as in ``module.named_modules()``, any of those of a shared one. By default all, but
        those that hold others only where they give something new, such as the sum at the end of
        a block. Functions called in ``forward`` are no modules: export to ONNX to see what they
        give.
    keep_mode : bool
        Run in the mode that each module is in: with dropout, say, in training mode.

    Raises
    ------
    QvizError
        It is no torch module, has no module of that name, does not take these batches or fails
        on them (what it raised is the cause), or none was given.
    """
    _check(module)
    fed = listed(batches)
    watch, found = Watch.of(module, fed, modules, keep_mode), _Found()
    found.skipped.update(watch.unseen(watch.run(found.took)))
    if not found.tallies:
        raise _nothing(fed, found.skipped)
    return _source(watch, found)


def _nothing(fed: list[Any], skipped: Mapping[str, str]) -> QvizError:
    what = "Nothing was captured."
    if not fed:
        return QvizError(
            what, "There is no batch.", "Give it batches; a generator gives them once."
        )
    first = next((f"{name}: {why}" for name, why in skipped.items()), "No module gave a tensor.")
    return QvizError(what, first, "Watch other modules.")


def _check(module: Any) -> None:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(module, torch.nn.Module):
        what = f"A {type(module).__name__} is no torch module."
        raise QvizError(what, "Modules are watched by their hooks.", "Give the module itself.")
    if compiled(module):
        raise QvizError(f"A {type(module).__name__} cannot be watched.", COMPILED, NOT_COMPILED)
    if getattr(module.forward, "__name__", "") == torch.nn.Module.forward.__name__:
        what = f"A {type(module).__name__} has no forward."
        raise QvizError(what, "It only holds other modules.", "Give the module that calls them.")
    is_lazy = torch.nn.parameter.is_lazy
    if any(map(is_lazy, chain(module.parameters(), module.buffers()))):
        why = "They get one when it first runs."
        raise QvizError("Some parameters have no shape yet.", why, "Run it on a batch first.")


def _source(watch: Watch, found: _Found) -> Captured:
    gathered = {name: tally.gathered() for name, tally in found.tallies.items()}
    infos = {name: _info(name, tally, "activation") for name, tally in found.tallies.items()}
    readers: dict[str, Callable[[], Any]] = {}
    for name, op, value in _weights(watch):
        array = host(value)
        if array is None:
            why = f"A {type(value).__name__} is no tensor of real numbers."
            found.skipped.setdefault(name, why)
            continue
        tally = Tally(value, weight_axis(op, array.shape))
        infos[name] = _info(name, tally, guess_role(name, tally.shape))
        gathered[name], found.ops[name] = tally.gathered(), op
        readers[name] = array.view
    axes = {name: _axis(one) for name, one in gathered.items()}
    title = type(watch.module).__name__
    return Watched(
        title, infos, found.skipped, found.ops, axes, gathered, readers, replay(watch)
    )  # fmt: skip


def _weights(watch: Watch) -> Iterator[tuple[str, str, Any]]:
    """Name, class of the owner and content of what the module holds, or computes from it."""
    owners = {name: class_of(one) for name, one in named(watch.module).items()}
    for name, value in watch.module.state_dict().items():
        yield name, owners.get(name.rpartition(".")[0], ""), value
    with undisturbed(watch.module, watch.keep_mode):
        for name, (one, weight) in computed(watch.module).items():
            yield name, class_of(one), getattr(one, weight)


def _axis(gathered: Gathered) -> int | None:
    return None if gathered.channels is None else gathered.channels.axis


def _info(name: str, tally: Tally, role: str) -> TensorInfo:
    mark = uuid.uuid4().hex  # a module may change, so no content is ever taken for another
    splits = tally.splits if role == "activation" and tally.shape else ()
    return TensorInfo(name, tally.shape, tally.dtype, mark, role, splits=splits)


def _tally(tallies: dict[str, Tally], name: str, op: str, value: Any) -> None:
    if not hasattr(value, "detach"):
        raise QvizError(f"A {type(value).__name__} is no tensor.")
    x = xp.enter(value)
    if name in tallies:
        tallies[name].add(x)
    else:
        before = ((one.shapes[0], one.axis) for one in reversed(tallies.values()))
        tallies[name] = Tally(x, module_axis(op, tuple(x.shape), before))
