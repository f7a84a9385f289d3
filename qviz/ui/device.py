"""Where statistics and exact passes run: on the processor, or on a device that torch reports.

Nothing here loads torch unless a person asks for it. A device is offered only after it gave the
processor's counts on a sample of awkward values; where it fails later, the processor takes over.
"""

from __future__ import annotations

import importlib
import platform
import shutil
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from qviz.observers.selection import default_observers
from qviz.pipeline import Comparison, compare
from qviz.quantizers.base import Target
from qviz.stats.stream import Stream
from qviz.ui.library import Item
from qviz.xp import Array

PIECE = 2**22  # elements that travel at a time
WORK = 2**28  # bytes of a device that must stay free beside the tensor
SIGNS = ("/dev/nvidia0", "/proc/driver/nvidia/version", "/dev/kfd")
FAILURES = (RuntimeError, MemoryError, NotImplementedError, TypeError)


@dataclass(frozen=True)
class Device:
    """A place to compute: ``key`` as torch spells it, ``title`` as people do."""

    key: str
    title: str


HOST = Device("cpu", "CPU")


def place(item: Item, device: Device) -> Device:
    """Where a tensor is really counted: the processor where the device failed on it."""
    return HOST if device == HOST or item.info.fingerprint in failed() else device


def failed() -> dict[str, str]:
    """Tensors on which the device failed in this session, and what to say."""
    return st.session_state.setdefault("device_failed", {})


def copied(item: Item, device: Device) -> Array:
    """The tensor's elements on a device; the last one stays there for this session."""
    name = item.info.fingerprint, device.key
    held = st.session_state.get("on_device")
    if held is None or held[0] != name:
        st.session_state.pop("on_device", None)  # frees its memory first
        held = (name, moved(item.array(), device))
        st.session_state["on_device"] = held
    return held[1]


def hinted() -> bool:
    """Whether torch is not loaded, but installed, on a machine that shows signs of a GPU."""
    if "torch" in sys.modules or find_spec("torch") is None:
        return False
    apple = sys.platform == "darwin" and platform.machine() == "arm64"
    return apple or any(Path(sign).exists() for sign in SIGNS) or bool(shutil.which("nvidia-smi"))


def load() -> None:
    """Load torch because a person asked for it."""
    importlib.import_module("torch")


def offered() -> Device | None:
    """The device that torch reports, once torch is loaded and the device counts as it should."""
    return None if sys.modules.get("torch") is None else _offered()


@lru_cache(maxsize=1)
def _offered() -> Device | None:
    device = reported(sys.modules["torch"])
    return device if device is not None and agrees(device) else None


def reported(torch: Any) -> Device | None:
    """The device that torch has: a CUDA device, else Apple's; None without one."""
    if torch.cuda.is_available():
        return Device("cuda", torch.cuda.get_device_name())
    apple = getattr(torch.backends, "mps", None)
    return Device("mps", "Apple GPU") if apple is not None and apple.is_available() else None


def agrees(device: Device) -> bool:
    """Whether all neutral rows of awkward values have the same ranges and counts on a device."""
    x = awkward()
    try:
        here, there = (_counts(_compared(v)) for v in (x, moved(x, device)))
    except FAILURES:
        return False
    return all(np.array_equal(a, b) for a, b in zip(here, there, strict=True))


def _compared(x: Array) -> Comparison:
    return compare(Stream.of(x), default_observers(), Target.of(), exact=True)


def _counts(done: Comparison) -> list[np.ndarray]:
    """Everything of a comparison that is a count, an extreme or a range."""
    facts = [getattr(done.facts, name) for name in type(done.facts).__dataclass_fields__]
    found = list(facts)
    for row in done.served:
        if row.totals is None or row.covered is None:
            continue
        t = row.totals
        found += [row.covered.lo, row.covered.hi, t.clipped_low, t.clipped_high, t.zeroed]
        found += [table for table in (t.codes, t.x_bins, t.y_bins) if table is not None]
    return found


def awkward() -> np.ndarray:
    """Values that devices treat differently: NaN, infinities, zeros, subnormals, ties, tails."""
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-45, 1e-38, 0.5, 1.5, 2.5, -0.5]
    tails = np.random.default_rng(0).standard_t(3, 70_000)
    return np.concatenate([odd, np.arange(-512, 512) / 8, tails]).astype(np.float32)


def moved(x: Array, device: Device) -> Array:
    """A copy of an array on a device, piece by piece.

    Raises
    ------
    MemoryError
        It would leave less than 256 MiB of the device free.
    """
    torch: Any = importlib.import_module("torch")
    if device.key == "cuda" and x.nbytes + WORK > torch.cuda.mem_get_info()[0]:
        raise MemoryError
    if not isinstance(x, np.ndarray):
        return x.to(device.key)
    goal = torch.empty(x.shape, dtype=getattr(torch, x.dtype.name), device=device.key)
    there, here, own = goal.view(-1), x.reshape(-1), x.dtype.newbyteorder("=")
    for start in range(0, here.size, PIECE):
        cut = slice(start, start + PIECE)
        there[cut] = torch.from_numpy(np.array(here[cut], own))
    return goal
