"""Forward hooks on the modules of a torch module: what each gives, under a name of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

from qviz.errors import QvizError
from qviz.models.calling import call, random_states, undisturbed
from qviz.models.naming import (
    Names,
    calls_functions,
    class_of,
    compiled,
    computed,
    holds_others,
    named,
    plain,
)

WHOLE = "output"  # the name of what the module itself gives
FUNCTIONS = "functions called in forward"
UNSEEN = "They are no modules, so no hook sees what they give. Export to ONNX to see it."
UNCALLED = "It was not called as a module."
COMPILED = "It is compiled, and takes no hooks."
NOT_COMPILED = "Pass the nn.Module that it was made from."
Met = dict[tuple[int, int], tuple[Any, int]]  # tensors that were given, and how often written to
Took = Callable[[str, str, Any], None]  # name, class of the module, what it gave


@dataclass(frozen=True, eq=False)
class Watch:
    """A module and batches, which runs again and again with the same outcome.

    ``watched`` are modules by the name of what they give. Where they were not ``asked`` for by
    name, one that holds others is told of only where it gives what none before it gave.
    """

    module: Any
    batches: list[Any]
    watched: dict[str, Any]
    names: Names
    asked: bool
    keep_mode: bool
    seeds: list[tuple[Callable[[Any], None], Any]] = field(repr=False)

    @staticmethod
    def of(
        module: Any, batches: list[Any], modules: Iterable[str] | None, keep_mode: bool
    ) -> Watch:
        """Watch modules by name, or all. Raises QvizError for a name that is none."""
        every = named(module)
        names = Names([*filter(None, every), *module.state_dict(), *computed(module)])
        whole = names.own(WHOLE, type(module).__name__)
        found = plain(module) if modules is None else _asked(every, modules)
        watched = {name or whole: one for name, one in found.items() if not compiled(one)}
        seeds = random_states(module)
        return Watch(module, batches, watched, names, modules is not None, keep_mode, seeds)

    def run(self, took: Took) -> set[str]:
        """Run all batches and tell what is given; the names of modules that were called."""
        called: set[str] = set()
        with undisturbed(self.module, self.keep_mode):
            for set_state, state in self.seeds:  # what is random falls alike in each run
                set_state(state)
            for batch in self.batches:
                with self._hooked(took) as calls:
                    call(self.module, batch)
                called |= calls.keys()
        return called

    @contextmanager
    def _hooked(self, took: Took) -> Iterator[dict[str, int]]:
        calls: dict[str, int] = {}
        met: Met = {}

        def hook_of(name: str, always: bool) -> Callable[[Any, Any, Any], None]:
            def hook(one: Any, args: Any, output: Any) -> None:
                calls[name] = calls.get(name, 0) + 1
                for part, value in self._given(name, calls[name], output):
                    if not _known(met, value) or always:
                        took(part, class_of(one), value)

            return hook

        with ExitStack() as stack:
            for name, one in self.watched.items():
                always = self.asked or not holds_others(one)
                stack.callback(one.register_forward_hook(hook_of(name, always)).remove)
            yield calls

    def _given(self, name: str, count: int, output: Any) -> Iterator[tuple[str, Any]]:
        """What a module gave in one call, each under a name of its own."""
        at = 0
        for value in _parts(output):
            if not _is_tensor(value):
                yield f"{self.names.of(name, count, 0)} ({type(value).__name__})", value
                continue
            yield self.names.of(name, count, at), value
            at += 1

    def unseen(self, called: set[str]) -> dict[str, str]:
        """What of the module no hook saw, and why."""
        found = {
            name: UNCALLED
            for name, one in self.watched.items()
            if name not in called and (self.asked or not holds_others(one))
        }
        if self.asked:
            return found
        every = plain(self.module)
        inner = {name for name, one in every.items() if compiled(one)}
        found |= {name: COMPILED for name in inner if name.rpartition(".")[0] not in inner}
        some = any(calls_functions(one) for name, one in every.items() if name not in inner)
        return found | ({FUNCTIONS: UNSEEN} if some else {})


def _asked(every: dict[str, Any], modules: Iterable[str]) -> dict[str, Any]:
    """Modules that were asked for by name."""
    if not isinstance(modules, Iterable):
        raise QvizError(f"{modules!r} names no modules.", "", "Give a list of names.")
    wanted = [modules] if isinstance(modules, str) else list(modules)
    if not wanted:
        raise QvizError(
            "No module is to be watched.", "The list is empty.", "Leave it out for all."
        )
    for name in wanted:
        if not isinstance(name, str) or name not in every:
            known = ", ".join(n for n in list(every)[:8] if n)
            raise QvizError(f"There is no module {name!r}.", "", f"Some that are: {known}.")
        if compiled(every[name]):
            raise QvizError(f"{name} cannot be watched.", COMPILED, NOT_COMPILED)
    return {name: every[name] for name in wanted}


def _parts(output: Any) -> Iterator[Any]:
    """Values of an output that may be nested; nothing is no value."""
    if isinstance(output, Mapping):
        output = list(output.values())
    if isinstance(output, list | tuple):
        for part in output:
            yield from _parts(part)
    elif output is not None:
        yield output


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "detach")


def _known(met: Met, value: Any) -> bool:
    """Whether a module gave it before, or another view of all of it, unchanged since."""
    if not _is_tensor(value) or value.is_inference():  # writes to the latter are not counted
        return False
    root = value if value._base is None else value._base
    key, version = (id(root), value.numel()), value._version
    before = met.get(key)
    met[key] = (ref(root), version)  # a reference that lets the memory go
    return before is not None and before[0]() is root and before[1] == version
