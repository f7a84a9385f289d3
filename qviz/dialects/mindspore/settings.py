"""The constructor's arguments, and what MindSpore refuses of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.dialects.mindspore.errors import MindSporeTypeError, MindSporeValueError
from qviz.dialects.mindspore.reading import Pair, Reading
from qviz.dialects.mindspore.readings import KINDS, READINGS
from qviz.dialects.mindspore.targets import ASCEND_LAST_AXIS, BITS
from qviz.spec import PER_TENSOR, Granularity


@dataclass(frozen=True)
class Settings:
    """What stays as it was constructed; the ends and quant_dtype may be reset."""

    ema: Any
    ema_decay: Any
    per_channel: Any
    channel_axis: Any
    num_channels: Any
    symmetric: Any
    narrow_range: Any
    quant_delay: int
    neg_trunc: Any
    reading: Reading
    kind: str

    @property
    def groups(self) -> int:
        """Number of ranges held."""
        return self.num_channels if self.per_channel else 1

    @property
    def granularity(self) -> Granularity:
        """Which elements share a range under this reading."""
        if not self.per_channel:
            return PER_TENSOR
        return Granularity("per_channel", self.reading.axis(self.channel_axis))


def reading_and_kind(reading: Any, precision: Any) -> tuple[Reading, str]:
    """The reading and the working type of these names."""
    for name, given, known in (("reading", reading, READINGS), ("precision", precision, KINDS)):
        if given not in known:
            raise MindSporeValueError(f"No {name} is {given!r}.", f"Known: {', '.join(known)}.")
    return READINGS[reading], KINDS[precision]


def check_initial(name: str, given: Any) -> None:
    """An int, a float or a list. Raises MindSporeTypeError."""
    if isinstance(given, bool) or not isinstance(given, int | float | list):
        raise MindSporeTypeError(
            f"{name} is a {type(given).__name__}.",
            "It must be an int, a float or a list of them.",
            "Give one number, or one per channel.",
        )


def check_delay(given: Any) -> None:
    """An int from 0 on. Raises MindSporeTypeError, MindSporeValueError."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise MindSporeTypeError(f"quant_delay is a {type(given).__name__}.", "It must be an int.")
    if given < 0:
        raise MindSporeValueError(f"quant_delay is {given}.", "It must not be below 0.")


def check_channels(settings: Settings) -> None:
    """num_channels and channel_axis are counts. Raises MindSporeTypeError, MindSporeValueError."""
    if not settings.per_channel:
        return
    for name, low in (("num_channels", 1), ("channel_axis", 0)):
        given = getattr(settings, name)
        if isinstance(given, bool) or not isinstance(given, int):
            raise MindSporeTypeError(f"{name} is a {type(given).__name__}.", "It must be an int.")
        if given < low:
            raise MindSporeValueError(f"{name} is {given}.", f"It must be {low} or more.")
    if settings.reading.name == "ascend" and settings.channel_axis > ASCEND_LAST_AXIS:
        raise MindSporeValueError(
            f"channel_axis is {settings.channel_axis}.", "Ascend has channels on axis 0 or 1 only."
        )


def initial(name: str, given: Any, settings: Settings) -> np.ndarray:
    """One end per group, rounded to float32 whatever the working type.

    Raises
    ------
    MindSporeValueError
        A list whose length is not that of the groups, or a number that float32 does not hold.
    MindSporeTypeError
        A list of anything but numbers.
    """
    check_initial(name, given)
    values = given if isinstance(given, list) else [given] * settings.groups
    if len(values) != settings.groups:
        raise MindSporeValueError(
            f"{name} has {len(values)} elements.",
            f"{settings.groups} are needed: num_channels per channel, else 1.",
        )
    if not all(isinstance(value, int | float) for value in values):
        raise MindSporeTypeError(f"{name} is a list of more than numbers.", "Give numbers only.")
    if not all(-FLOAT32_MAX <= value <= FLOAT32_MAX for value in values):
        raise MindSporeValueError(f"{name} is not finite in float32.", "Give finite numbers.")
    return np.array(values, np.float64).astype(np.float32)


FLOAT32_MAX = float(np.finfo(np.float32).max)


def initial_range(lo: Any, hi: Any, settings: Settings) -> Pair:
    """Both ends, (groups,) float32. Raises MindSporeValueError unless hi is above lo everywhere."""
    low, high = initial("min_init", lo, settings), initial("max_init", hi, settings)
    if not (high > low).all():
        raise MindSporeValueError(
            f"max_init is {hi} and min_init {lo}.",
            "max_init must be greater than min_init, in float32 too.",
            "Exchange them, or move them apart.",
        )
    return low, high


def check_default(settings: Settings, bits: int) -> None:
    """What the DEFAULT operators refuse. Raises MindSporeTypeError, MindSporeValueError."""
    for name in ("ema", "symmetric", "narrow_range"):
        if not isinstance(getattr(settings, name), bool):
            raise MindSporeTypeError(f"{name} is no bool.", "Give True or False.")
    decay = settings.ema_decay
    if isinstance(decay, bool) or not isinstance(decay, int | float):
        raise MindSporeTypeError(f"ema_decay is a {type(decay).__name__}.", "It must be a float.")
    if not 0 <= decay <= 1 or (settings.ema and decay == 0):
        raise MindSporeValueError(
            f"ema_decay is {decay}.", "It must be from 0 to 1, and not 0 where ema is True."
        )
    if bits not in BITS:
        raise MindSporeValueError(
            f"{bits} bits are not offered by the DEFAULT operators.", "They have 4, 7 and 8."
        )


def check_learned(settings: Settings, bits: int) -> None:
    """What LEARNED_SCALE refuses. Raises MindSporeValueError."""
    if not settings.symmetric:
        raise MindSporeValueError(
            "LEARNED_SCALE is symmetric only.", "symmetric is not True.", "Set symmetric=True."
        )
    if settings.neg_trunc and settings.narrow_range:
        raise MindSporeValueError(
            "LEARNED_SCALE with neg_trunc has no narrow_range.", "", "Set narrow_range=False."
        )
    if not settings.neg_trunc and not settings.narrow_range:
        raise MindSporeValueError(
            "LEARNED_SCALE without neg_trunc needs narrow_range.", "", "Set narrow_range=True."
        )
    if settings.reading.top(bits, bool(settings.neg_trunc)) == 0:
        raise MindSporeValueError("There is no code above 0.", "quant_max is 0.", "Use more bits.")
