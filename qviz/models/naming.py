"""What a torch module consists of, and a name of its own for each tensor that is given."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

PARAMETRIZATIONS = "parametrizations"  # the module that holds those of another


class Names:
    """Names of what modules give, each given once.

    That of the module, ``name#2`` for its second call, ``name.1`` for its second tensor. Where
    such a name is ``taken`` already it is in brackets: ``name[#2]``, ``name[1]``. The same tensor
    has the same name in each run.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._names: dict[tuple[str, int, int], str] = {}

    def own(self, *names: str) -> str:
        """The first of these names that is free, taken from now on."""
        found = next((name for name in names if name not in self._taken), names[-1])
        while found in self._taken:
            found += "'"
        self._taken.add(found)
        return found

    def of(self, name: str, call: int, at: int) -> str:
        """The name of one tensor that a module gave in one of its calls, both counted."""
        if call == 1 and at == 0:
            return name
        key = (name, call, at)
        if key not in self._names:
            base = self.of(name, call, 0) if at else name
            word = f".{at}" if at else f"#{call}"
            self._names[key] = self.own(base + word, f"{base}[{word.removeprefix('.')}]")
        return self._names[key]


def named(module: Any) -> dict[str, Any]:
    """All modules, one that is registered twice under each of its names."""
    return dict(module.named_modules(remove_duplicate=False))


def plain(module: Any) -> dict[str, Any]:
    """Each module once, without those that only compute a weight of another."""
    found = dict(module.named_modules())
    hidden = [f"{_within(name, PARAMETRIZATIONS)}." for name in _parametrized(found)]
    return {name: one for name, one in found.items() if not f"{name}.".startswith(tuple(hidden))}


def computed(module: Any) -> dict[str, tuple[Any, str]]:
    """Weights that are computed from parameters, as under weight_norm: owner and attribute."""
    return {
        _within(name, weight): (one, weight)
        for name, one in _parametrized(named(module)).items()
        for weight in one.parametrizations
    }


def class_of(one: Any) -> str:
    """Name of its class; of one that got parametrizations that of before."""
    kind = type(one)
    return (kind.__bases__[0] if _computes(one) else kind).__name__


def holds_others(one: Any) -> bool:
    """Whether it calls other modules, as far as one can see."""
    return any(name != PARAMETRIZATIONS or not _computes(one) for name, _ in one.named_children())


def compiled(one: Any) -> bool:
    """Whether it is of TorchScript, which knows no hooks."""
    return isinstance(one, sys.modules["torch"].jit.ScriptModule)


def calls_functions(one: Any) -> bool:
    """Whether it may compute something between its modules."""
    home = getattr(getattr(type(one), "forward", None), "__module__", "")
    if holds_others(one):
        return home not in ("torch.nn.modules.container", "torch.nn.modules.module")
    return not home.startswith("torch.nn.")


def _parametrized(found: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in found.items() if _computes(one)}


def _computes(one: Any) -> bool:
    """Whether a weight of it is computed anew whenever it is read."""
    nn = sys.modules["torch"].nn
    found: Any = getattr(one, PARAMETRIZATIONS, None)
    each = nn.utils.parametrize.ParametrizationList
    return isinstance(found, nn.ModuleDict) and all(isinstance(p, each) for p in found.values())


def _within(owner: str, name: str) -> str:
    return f"{owner}.{name}" if owner else name
