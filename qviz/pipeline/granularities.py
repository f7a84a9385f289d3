"""What it buys to give channels, tokens or small groups a range of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from types import MappingProxyType

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.metrics.base import decibels
from qviz.observers.base import Observer
from qviz.pipeline.errors import Errors, energies_of, least_of, small_tiles
from qviz.pipeline.judging import COARSE, Settled, refusal, settle
from qviz.pipeline.resolution import resolved
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Role
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream, Tile

SIZES = (32, 64, 128)  # elements of a group along the last axis
SCALE_BYTES = 4  # a float32
NO_ERRORS: Mapping[Granularity, Errors] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Gain:
    """One granularity: what comes back, and what its steps cost.

    ``sqnr`` is that of the whole tensor in dB, +inf where nothing is lost and NaN without
    energy; ``worst`` the lowest of a group. ``parameters`` are its ranges; ``bytes`` those of a
    float32 scale each and, where codes are not symmetric, of a zero point as wide as a code;
    ``share`` is that over the bytes of all codes. ``refused`` says why there is nothing else.
    """

    granularity: Granularity
    sqnr: float = float("nan")
    worst: float = float("nan")
    parameters: int = 0
    bytes: int = 0
    share: float = float("nan")
    refused: str = ""

    def over(self, other: Gain) -> float | None:
        """Gain over another granularity in dB; None where either is refused or has no number."""
        both = isfinite(self.sqnr) and isfinite(other.sqnr)
        return self.sqnr - other.sqnr if both else None


def has_tokens(role: str, shape: tuple[int, ...]) -> bool:
    """Whether rows along the last axis are tokens: not of a weight, not of an image."""
    return role not in (Role.WEIGHT, Role.BIAS) and 2 <= len(shape) <= 3


def offered(axis: int | None, *, tokens: bool = True) -> tuple[Granularity, ...]:
    """Per tensor, channel, token, and groups of 32, 64 and 128 along the last axis.

    Without an ``axis`` of channels there are neither these nor tokens.
    """
    groups = tuple(Granularity("per_group", -1, size) for size in SIZES)
    if axis is None:
        return (PER_TENSOR, *groups)
    token = (Granularity("per_token"),) if tokens else ()
    return (PER_TENSOR, Granularity("per_channel", axis), *token, *groups)


def gains(
    stream: Stream,
    observer: Observer,
    target: Target,
    asked: Sequence[Granularity],
    known: Mapping[Granularity, Errors] = NO_ERRORS,
) -> tuple[Gain, ...]:
    """The granularities that are asked for, under one observer, codes and mode; all exact.

    ``known`` are errors that need not be measured again, such as those of a channel map.
    """
    return tuple(
        priced(g, known[g], stream.size, target.spec)
        if g in known
        else gain(stream, observer, target, g)
        for g in asked
    )


def gain(stream: Stream, observer: Observer, target: Target, granularity: Granularity) -> Gain:
    """One granularity; a refusal, such as a group size that does not divide, is its words."""
    there = replace(target, granularity=granularity)
    xx, ee, worst, count = 0.0, 0.0, np.inf, 0
    try:
        along = Stream.of(list(stream.batches), granularity)
        for tile, settled in settled_tiles(along, observer, there):
            count += tile.groups
            if settled is not None:
                own, off = energies_of(tile, settled.quantizer)
                worst = min(worst, least_of(decibels(own, off)))
                xx, ee = xx + own.sum(), ee + off.sum()
    except QvizError as error:
        return Gain(granularity, refused=str(error))
    whole = float(decibels(np.array([xx]), np.array([ee]))[0])
    return _priced(granularity, whole, worst, count, (stream.size, target.spec))


def priced(granularity: Granularity, errors: Errors, size: int, spec: QuantSpec) -> Gain:
    """A granularity from the errors of its groups, or per tensor from those of channels."""
    one = granularity == PER_TENSOR
    worst, count = (errors.overall, 1) if one else (errors.worst, len(errors.n))
    return _priced(granularity, errors.overall, worst, count, (size, spec))


def _priced(
    granularity: Granularity, sqnr: float, worst: float, count: int, codes: tuple[int, QuantSpec]
) -> Gain:
    size, spec = codes
    price = parameter_bytes(spec) * count
    share = 8 * price / max(size, 1) / code_bits(spec)
    return Gain(granularity, sqnr, worst, count, price, share)


def code_bits(spec: QuantSpec) -> int:
    """Bits that hold one code."""
    return (spec.levels - 1).bit_length()


def parameter_bytes(spec: QuantSpec) -> int:
    """Bytes of one range's scale, and of its zero point where codes are not symmetric."""
    return SCALE_BYTES + (0 if spec.symmetric else -(-code_bits(spec) // 8))


def is_cheap(observer: Observer) -> bool:
    """Whether the observer reads extremes only, so that a range costs next to nothing."""
    return set(observer.needs) <= {MinMax()}


def settled_tiles(
    stream: Stream, observer: Observer, target: Target
) -> Iterator[tuple[Tile, Settled | None]]:
    """Tiles of the stream, each with what its groups settle on; None without a finite element.

    Raises
    ------
    QvizError
        The observer or the mode refuses the target, a range is not finite, or there is no
        finite element at all.
    """
    reason = refusal(observer, target)
    if reason:
        raise QvizError(f"{type(observer).__name__} cannot serve here: {reason}.")
    kind, found = xp.working_name(stream.batches[0]), False
    for tile in small_tiles(stream):
        seen = gather(tile, (MinMax(), *observer.needs))
        if not seen[MinMax()].finite.any():
            yield tile, None
            continue
        seen, found = resolved(tile, seen) if COARSE in seen else seen, True
        yield tile, settle(observer, seen, target, kind)
    if not found:
        raise QvizError(
            "There is no finite element to take a range from.",
            "The tensor is empty, or all of it is NaN or infinite.",
            "Look at where it comes from.",
        )
