"""Calls a torch module on a batch, and leaves it as it was: mode, buffers, random numbers."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from qviz import xp
from qviz.errors import QvizError

ARGUMENTS = "A tuple holds arguments, a dict keyword arguments."
ONLY = "Of pairs (x, label) pass x alone: (x for x, *_ in loader)."
WHOLE = "Arrays of whole numbers stay so; give floats where it takes floats."
CAUSE = "What it raised is the cause of this error."
LONGEST = 300  # characters of what it raised


def listed(batches: Any) -> list[Any]:
    """All batches; a single array, tensor or dict is one. Raises QvizError for what is none."""
    if isinstance(batches, Mapping | np.ndarray) or hasattr(batches, "detach"):
        return [batches]
    if isinstance(batches, str) or not isinstance(batches, Iterable | Sequence):
        kind = type(batches).__name__
        raise QvizError(f"Batches are no {kind}.", "", "Give a list of tensors, or a loader.")
    return list(batches)


def call(module: Any, batch: Any) -> None:
    """Run it on one batch: an argument, a tuple of arguments, or keyword arguments in a dict.

    NumPy arrays become tensors where the module lies, floats of the module's own type. Tensors
    are copied, so that a module that works in place leaves the batch alone.

    Raises
    ------
    QvizError
        It does not take such arguments, or fails; what it raised is the cause.
    """
    whole = isinstance(batch, Mapping)
    args = () if whole else batch if type(batch) is tuple else (batch,)
    kwargs = dict(batch) if whole else {}
    made, own = partial(_made, module), [*args, *kwargs.values()]
    odd = any(isinstance(value, np.ndarray | list) for value in own)
    args, kwargs = tuple(map(made, args)), {name: made(value) for name, value in kwargs.items()}
    with _Told(module, batch, partial(_words, args, kwargs), odd):
        module(*args, **kwargs)


@dataclass(frozen=True, eq=False)
class _Told:
    """Whatever a module raises becomes the cause of a QvizError, which says what it was given."""

    module: Any
    batch: Any
    given: Callable[[], str]
    odd: bool

    def __enter__(self) -> None:
        """Nothing is needed before."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, QvizError):
            return
        own = self.odd or isinstance(error, TypeError)
        first = str(error).partition("\n")[0]
        raised = f"{type(error).__name__}: {first}"[:LONGEST].rstrip(": .")
        raise QvizError(
            f"{type(self.module).__name__} fails with {raised}.",
            f"It takes {_parameters(self.module)}; it was given {self.given()}.",
            _advice(self.batch) if own else CAUSE,
        ) from error


def _made(module: Any, value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(_made(module, part) for part in value)
    if type(value) is dict:
        return {name: _made(module, part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return _tensor(module, value)
    return value.clone() if hasattr(value, "detach") else value


def _tensor(module: Any, array: np.ndarray) -> Any:
    held = list(chain(module.parameters(), module.buffers()))
    floats = [one for one in held if one.is_floating_point()]
    kind = xp.enter(array).dtype.newbyteorder("=")
    made = sys.modules["torch"].from_numpy(array.astype(kind, order="C"))  # no view, no other bytes
    if made.is_floating_point() and floats:
        made = made.to(floats[0].dtype)
    return made.to(held[0].device) if held else made


def _advice(batch: Any) -> str:
    if isinstance(batch, np.ndarray) and batch.dtype.kind in "iub":
        return WHOLE
    return f"{ARGUMENTS} {ONLY}" if isinstance(batch, list | tuple) else ARGUMENTS


def _parameters(module: Any) -> str:
    try:
        names = list(inspect.signature(module.forward).parameters)
    except (TypeError, ValueError):  # of a module that is compiled
        return "what its forward says"
    return ", ".join(names[:8]) or "nothing"


def _words(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    if kwargs:
        return ", ".join(list(kwargs)[:8])
    kinds = [_kind(value) for value in args[:8]]
    return f"{len(kinds)} arguments ({', '.join(kinds)})" if len(kinds) != 1 else kinds[0]


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if not hasattr(value, "detach"):
        return type(value).__name__
    shape = " x ".join(map(str, value.shape)) or "a single value"
    return f"{xp.dtype_name(value)} {shape}"


def random_states(module: Any) -> list[tuple[Callable[[Any], None], Any]]:
    """Where torch's random numbers stand, here and on the devices of the module; how to set it."""
    torch = sys.modules["torch"]
    held = chain(module.parameters(), module.buffers())
    devices = sorted({one.device.index or 0 for one in held if one.device.type == "cuda"})
    there = [
        (partial(torch.cuda.set_rng_state, device=at), torch.cuda.get_rng_state(at))
        for at in devices
    ]
    return [(torch.set_rng_state, torch.get_rng_state()), *there]


@contextmanager
def undisturbed(module: Any, keep_mode: bool) -> Iterator[None]:
    """Without gradients, in eval mode unless ``keep_mode``; all is as before at the end."""
    torch = sys.modules["torch"]
    with ExitStack() as stack:
        for set_state, state in random_states(module):
            stack.callback(set_state, state)
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.no_grad())
        before: dict[int, Any] = {}
        for one in list(module.modules()):
            stack.callback(_restore, one, one.training, _copies(one, before))
            one.training = one.training and keep_mode
        yield


def _copies(one: Any, before: dict[int, Any]) -> list[tuple[str, Any, Any]]:
    """Its own parameters and buffers: name, the tensor, what it holds now.

    One that is registered twice is copied once; None stands for what is of a class of its own,
    and for what holds nothing.
    """
    own = {"recurse": False, "remove_duplicate": False}
    found = [*one.named_parameters(**own), *one.named_buffers(**own)]
    for _, tensor in found:
        if id(tensor) not in before:
            before[id(tensor)] = tensor.detach().clone() if _holds(tensor) else None
    return [(name, tensor, before[id(tensor)]) for name, tensor in found]


def _holds(tensor: Any) -> bool:
    torch = sys.modules["torch"]
    known = type(tensor) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
    return known and not tensor.is_meta and tensor.layout is torch.strided


def _restore(one: Any, training: bool, copies: list[tuple[str, Any, Any]]) -> None:
    one.training = training
    for name, tensor, content in copies:
        if content is not None and tensor.shape != content.shape:
            tensor.data = content
        elif content is not None and not _equal(tensor.detach(), content):
            tensor.detach().copy_(content)
        if getattr(one, name, None) is not tensor:
            setattr(one, name, tensor)


def _equal(a: Any, b: Any) -> bool:
    """Whether each bit is the same: NaN equals itself, and torch compares no float8."""
    torch = sys.modules["torch"]
    if a.dtype == b.dtype and a.is_floating_point():
        bits = getattr(torch, f"int{8 * a.element_size()}")
        a, b = (one.reshape(-1).view(bits) for one in (a, b))
    return a.dtype == b.dtype and torch.equal(a, b)
