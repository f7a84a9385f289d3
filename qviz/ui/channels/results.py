"""Results of the page, kept under fingerprint, axis, rule and codes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from qviz.figures.numbers import fixed
from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.channel_map import channel_map
from qviz.pipeline.clipping_where import Clipping, clipping_where, spreads
from qviz.pipeline.errors import Errors
from qviz.pipeline.granularities import Gain, gains, has_tokens, is_cheap, offered, settled_tiles
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, Granularity
from qviz.stats.stream import Stream
from qviz.ui.channels.look import Look
from qviz.ui.choice import Choice
from qviz.ui.state import store

R = TypeVar("R")
SLOW = 4_000_000  # elements from which only cheap rules are tried under every granularity unasked
NAMES = {"per_tensor": "per tensor", "per_channel": "per channel", "per_token": "per token"}


def _kept(key: Hashable, make: Callable[[], R]) -> R:
    """The value of the store, made where it is not there."""
    found = store().get(key)
    if found is None:
        found = make()
        store().put(key, found)
    return found


def _key(choice: Choice, look: Look, what: str) -> Hashable:
    shape, mark = tuple(look.stream.batches[0].shape), choice.item.info.fingerprint
    key = ("channels", what, mark, look.axis, shape, look.spelling, _target(choice))
    return (*key, choice.role) if what == "gains" else key


def _target(choice: Choice) -> Target:
    return replace(choice.target, granularity=PER_TENSOR)


def mapped(choice: Choice, look: Look) -> ChannelMap:
    """The channels under one step for the tensor, and under their own."""
    return _kept(
        _key(choice, look, "map"),
        lambda: channel_map(look.stream, look.axis, look.observer, _target(choice)),
    )


def tokens(choice: Choice, look: Look) -> Errors:
    """The channels' errors where each token has a step of its own."""
    target = replace(choice.target, granularity=Granularity("per_token"))
    return _kept(
        _key(choice, look, "tokens"),
        lambda: channel_map(look.stream, look.axis, look.observer, target).shared,
    )


def spread(choice: Choice) -> tuple[np.ndarray, ...]:
    """Largest magnitude at each index of each axis."""
    key = ("channels", "spread", choice.item.info.fingerprint)
    return _kept(key, lambda: spreads(choice.item.array()))


def clipping(choice: Choice, look: Look) -> Clipping:
    """Where the clipped elements lie under one step for the tensor."""
    return _kept(_key(choice, look, "clipping"), lambda: _clipping(choice, look))


def _clipping(choice: Choice, look: Look) -> Clipping:
    made = [s for _, s in settled_tiles(look.stream, look.observer, _target(choice)) if s]
    return clipping_where(choice.item.array(), made[0].quantizer)


def known_gains(choice: Choice, look: Look) -> tuple[Gain, ...] | None:
    """All granularities, where they are known already or cheap to measure; else None."""
    if choice.item.info.size <= SLOW or is_cheap(look.observer):
        return all_gains(choice, look)
    return store().get(_key(choice, look, "gains"))


def all_gains(choice: Choice, look: Look) -> tuple[Gain, ...]:
    """All granularities side by side."""
    return _kept(_key(choice, look, "gains"), lambda: _gains(choice, look))


def _gains(choice: Choice, look: Look) -> tuple[Gain, ...]:
    found = mapped(choice, look)
    known: dict[Granularity, Errors] = {PER_TENSOR: found.shared}
    if look.group == "group":
        chosen, usual = Granularity("per_group", -1, look.size), offered(None)
        sized = sorted({*usual[1:], chosen}, key=lambda g: -g.size)
        whole, known[chosen] = Stream.of(choice.item.array()), found.own
        return gains(whole, look.observer, _target(choice), (PER_TENSOR, *sized), known)
    known[Granularity("per_channel", look.axis)] = found.own
    asked = offered(look.axis, tokens=has_tokens(choice.role, choice.item.info.shape))
    return gains(look.stream, look.observer, _target(choice), asked, known)


def name_of(granularity: Granularity) -> str:
    """``groups of 32``, ``per channel``."""
    if granularity.kind == "per_group":
        return f"groups of {granularity.size}"
    return NAMES[granularity.kind]


def gain_line(choice: Choice, look: Look, found: ChannelMap) -> list[tuple[str, str]]:
    """Granularities and their dB, worst first; only the two of the map where others are slow."""
    every = known_gains(choice, look)
    if every is None:
        return [
            ("tensor", text_of(found.shared.overall)),
            (look.own, text_of(found.own.overall)),
        ]
    there = sorted((g for g in every if not g.refused), key=lambda g: g.sqnr)
    seen = {(g.parameters, text_of(g.sqnr)): g for g in reversed(there)}
    return [
        (name_of(g.granularity).removeprefix("per "), text_of(g.sqnr))
        for g in reversed(seen.values())
    ]


def text_of(value: Any) -> str:
    """An SQNR in words, without its unit."""
    return "exact" if np.isinf(value) else fixed(float(value))
