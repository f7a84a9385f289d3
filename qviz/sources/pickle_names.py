"""What a pickle asks for by name, told without torch, which is slow to import, and without running.

Torch itself decides in the end; this only spares people the wait where the answer is plain.
"""

from __future__ import annotations

import io
import itertools
import pickletools

STEPS = 200_000  # instructions looked at in one file
PICKLES = 5  # of a file before 1.6: magic number, version, system, content, keys of storages
BEYOND = "an instruction beyond plain tensors"
HARMLESS = {  # all that weights_only allows outside torch
    *("collections.Counter", "collections.OrderedDict", "_codecs.encode"),
    *("builtins.set", "builtins.complex", "builtins.bytearray"),
}
MODULES = "torch.nn.modules."  # whole modules; Parameter lies elsewhere


def foreign(raw: bytes) -> str:
    """The first thing named in the pickles of ``raw`` that no state dict needs; empty if none."""
    stream, left = io.BytesIO(raw), STEPS
    for _ in range(PICKLES):
        try:
            for operation, named, _ in itertools.islice(pickletools.genops(stream), left):
                left -= 1
                name = _named(operation.name, named)
                if name and not _known(name):
                    return name
        except (ValueError, OverflowError):  # cut, altered, or at an end: for torch to tell
            return ""
    return ""


def _named(operation: str, named: object) -> str:
    """What an instruction asks for: ``builtins.getattr``, say."""
    if operation in ("STACK_GLOBAL", "INST"):
        return BEYOND
    if operation != "GLOBAL":
        return ""
    module, _, name = str(named).partition(" ")
    return f"{module.replace('__builtin__', 'builtins')}.{name}"


def _known(name: str) -> bool:
    """Whether torch may allow it."""
    return name in HARMLESS or (name.startswith("torch") and not name.startswith(MODULES))
