"""Captures a torch module by forward hooks, in this process."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.models.model import activation_axis
from qviz.models.tally import Tally
from qviz.sources.base import TensorInfo, guess_role
from qviz.sources.captured.gathered import Gathered
from qviz.sources.captured.source import Captured

Took = Callable[[str, str, Any], None]  # name, class of the module, what it gave


def capture(module: Any, batches: Iterable[Any], modules: Sequence[str] | None = None) -> Captured:
    """Run a torch module on batches and keep statistics of what its modules give.

    A batch is an argument, a tuple of arguments or a dict of keyword arguments. ``modules`` are
    names as in ``module.named_modules()``, by default all that hold no others; parameters are
    there as weights. Reading a tensor runs the module once more, so keep both as they are. The
    module stays in its mode: call ``module.eval()`` first.

    >>> import torch, qviz
    >>> seen = qviz.capture(torch.nn.Linear(4, 2), [torch.ones(8, 4)])
    >>> seen.info("output").shape
    (8, 2)

    Raises
    ------
    QvizError
        It is no torch module, has no module of that name, or no batch was given.
    """
    if not hasattr(module, "named_modules"):
        what = f"A {type(module).__name__} is no torch module."
        raise QvizError(what, "Modules are watched by their hooks.", "Give the module itself.")
    batches, watched = list(batches), _watched(module, modules)
    tallies: dict[str, Tally] = {}
    ops: dict[str, str] = {}
    skipped: dict[str, str] = {}

    def took(name: str, op: str, value: Any) -> None:
        try:
            _tally(tallies, name, op, value)
            ops[name] = op
        except QvizError as error:
            skipped[name] = str(error)

    _run(module, batches, watched, took)
    if not tallies:
        raise QvizError("Nothing was captured.", "No module gave a tensor.", "Give it batches.")
    return _source(module, batches, watched, (tallies, ops, skipped))


def _source(
    module: Any,
    batches: list[Any],
    watched: dict[str, Any],
    found: tuple[dict[str, Tally], dict[str, str], dict[str, str]],
) -> Captured:
    tallies, ops, skipped = found
    gathered = {name: tally.gathered() for name, tally in tallies.items()}
    infos = {name: _info(name, tally, "activation") for name, tally in tallies.items()}
    readers: dict[str, Callable[[], Any]] = {}
    for name, value in module.state_dict().items():
        array = _host(value)
        if name in infos or array is None:
            continue
        tally = Tally(array, 0 if array.ndim > 1 else None)
        infos[name] = _info(name, tally, guess_role(name, tally.shape))
        gathered[name], ops[name] = tally.gathered(), _owner(module, name)
        readers[name] = array.view
    axes = {name: _axis(found) for name, found in gathered.items()}
    replay = _replay(module, batches, watched)
    title = type(module).__name__
    return Captured(title, infos, skipped, ops, axes, gathered, readers, replay)


def _axis(gathered: Gathered) -> int | None:
    return None if gathered.channels is None else gathered.channels.axis


def _info(name: str, tally: Tally, role: str) -> TensorInfo:
    mark = uuid.uuid4().hex  # a module may change, so no content is ever taken for another
    splits = tally.splits if role == "activation" and tally.shape else ()
    return TensorInfo(name, tally.shape, tally.dtype, mark, role, splits=splits)


def _replay(module: Any, batches: list[Any], watched: dict[str, Any]) -> Callable[[str], Any]:
    def replay(wanted: str) -> np.ndarray:
        parts: list[np.ndarray] = []

        def took(name: str, op: str, value: Any) -> None:
            array = _host(value) if name == wanted else None
            parts.extend([] if array is None else [np.array(array)])

        _run(module, batches, watched, took)
        alike = len({part.shape[1:] for part in parts}) == 1 and parts[0].ndim
        return np.concatenate(parts if alike else [part.reshape(-1) for part in parts])

    return replay


def _watched(module: Any, modules: Sequence[str] | None) -> dict[str, Any]:
    """Modules by the name of what they give."""
    named = dict(module.named_modules())
    if modules is None:
        leaves = {name: one for name, one in named.items() if not any(one.children())}
        return {name or "output": one for name, one in leaves.items()}
    for name in modules:
        if name not in named:
            known = ", ".join(n for n in list(named)[:8] if n)
            raise QvizError(f"There is no module {name!r}.", "", f"Some that are: {known}.")
    return {name or "output": named[name] for name in modules}


def _run(module: Any, batches: list[Any], watched: dict[str, Any], took: Took) -> None:
    for batch in batches:
        with _hooked(watched, took), _without_gradients(batch):
            if isinstance(batch, dict):
                module(**batch)
            else:
                module(*batch) if isinstance(batch, tuple) else module(batch)


@contextmanager
def _hooked(watched: dict[str, Any], took: Took) -> Iterator[None]:
    calls: dict[str, int] = {}

    def hook_of(name: str) -> Callable[[Any, Any, Any], None]:
        def hook(one: Any, args: Any, output: Any) -> None:
            calls[name] = calls.get(name, 0) + 1
            base = name if calls[name] == 1 else f"{name}#{calls[name]}"
            for at, value in enumerate(_tensors(output)):
                took(base if at == 0 else f"{base}.{at}", type(one).__name__, value)

        return hook

    with ExitStack() as stack:
        for name, one in watched.items():
            stack.callback(one.register_forward_hook(hook_of(name)).remove)
        yield


def _without_gradients(batch: Any) -> Any:
    first = next(iter(_tensors(batch)), None)
    return xp.namespace(first).no_grad() if hasattr(first, "detach") else ExitStack()


def _tensors(output: Any) -> Iterator[Any]:
    """Tensors of an output that may be nested."""
    if isinstance(output, dict):
        output = list(output.values())
    if isinstance(output, list | tuple):
        for part in output:
            yield from _tensors(part)
    elif hasattr(output, "detach"):
        yield output


def _tally(tallies: dict[str, Tally], name: str, op: str, value: Any) -> None:
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
