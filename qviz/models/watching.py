"""Forward hooks on the modules of a torch module: what each gives, under a name of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

from qviz.errors import QvizError
from qviz.models.calling import call, random_states, undisturbed

WHOLE = "output"  # the name of what the module itself gives
FUNCTIONS = "functions called in forward"
UNSEEN = "They are no modules, so no hook sees what they give. Export to ONNX to see it."
UNCALLED = "It was not called as a module."
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
    asked: bool
    keep_mode: bool
    seeds: list[tuple[Callable[[Any], None], Any]] = field(repr=False)

    @staticmethod
    def of(
        module: Any, batches: list[Any], modules: Sequence[str] | None, keep_mode: bool
    ) -> Watch:
        """Watch modules by name, or all. Raises QvizError for a name that is none."""
        found = _watched(module, modules)
        seeds = random_states(module)
        return Watch(module, batches, found, modules is not None, keep_mode, seeds)

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
                base = name if calls[name] == 1 else f"{name}#{calls[name]}"
                for part, value in self._given(base, output):
                    if not _known(met, value) or always:
                        took(part, type(one).__name__, value)

            return hook

        with ExitStack() as stack:
            for name, one in self.watched.items():
                always = self.asked or not any(one.children())
                stack.callback(one.register_forward_hook(hook_of(name, always)).remove)
            yield calls

    def _given(self, base: str, output: Any) -> Iterator[tuple[str, Any]]:
        """What a module gave in one call, each under a name of its own."""
        at = 0
        for value in _parts(output):
            if not _is_tensor(value):
                yield f"{base} ({type(value).__name__})", value
                continue
            name = base if at == 0 else f"{base}.{at}"
            yield (f"{base}[{at}]" if at and name in self.watched else name), value
            at += 1

    def unseen(self, called: set[str]) -> dict[str, str]:
        """What of the module no hook saw, and why."""
        found = {
            name: UNCALLED
            for name, one in self.watched.items()
            if name not in called and (self.asked or not any(one.children()))
        }
        some = not self.asked and any(map(_calls_functions, self.module.modules()))
        return found | ({FUNCTIONS: UNSEEN} if some else {})


def _watched(module: Any, modules: Sequence[str] | None) -> dict[str, Any]:
    """Modules by the name of what they give."""
    named = dict(module.named_modules())
    whole = WHOLE if WHOLE not in named else type(module).__name__
    for name in () if modules is None else modules:
        if name not in named:
            known = ", ".join(n for n in list(named)[:8] if n)
            raise QvizError(f"There is no module {name!r}.", "", f"Some that are: {known}.")
    return {name or whole: named[name] for name in (named if modules is None else modules)}


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


def _calls_functions(one: Any) -> bool:
    """Whether it may compute something between its modules."""
    home = getattr(getattr(type(one), "forward", None), "__module__", "")
    if any(one.children()):
        return home not in ("torch.nn.modules.container", "torch.nn.modules.module")
    return not home.startswith("torch.nn.")
