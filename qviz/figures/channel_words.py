"""The finding about a tensor's channels, in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.figures.numbers import decibels, integer, number
from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.errors import Errors
from qviz.spec import PER_TENSOR

ALIKE = 1.0  # dB a step for each channel gains, below which channels are called alike
QUIET = 4.0  # times the worst group's magnitude, from which the median one is worth a word
CUT = 0.9  # of the largest magnitude, below which a range leaves the loudest to be clipped
NAMED = 3  # loud channels named one by one
LISTED = 8


@dataclass(frozen=True)
class Words:
    """How things are called: the group, what all share, and what is measured against it.

    ``note`` stands behind what is measured against it.
    """

    group: str = "channel"
    shared: str = "per tensor"
    instead: str = "per channel"
    note: str = ""


def below(errors: Errors, threshold: float) -> int:
    """Groups whose SQNR is below a threshold; those without energy are not among them."""
    return int((errors.sqnr < threshold).sum())


def heading(found: ChannelMap, instead: Errors, threshold: float, words: Words) -> str:
    """The loud channels and the damage, and what other steps would do about it.

    ``instead`` are the channels' errors under what ``words.instead`` names.
    """
    if (found.dead | found.empty).all():
        return f"Every {words.group} is dead: there is nothing but 0"
    low, after = below(found.shared, threshold), below(instead, threshold)
    gain = instead.overall - found.shared.overall
    if low:
        return f"{_cause(found, words)}{_damage(found, low, after, threshold, words)}{words.note}"
    if np.isinf(found.shared.overall):
        return f"Every {words.group} comes back exactly: its values are levels already"
    if not found.loud.any() and gain < ALIKE:
        many = words.group.capitalize() + "s"
        return f"{many} are alike: {words.instead} gains {decibels(max(gain, 0.0))}"
    who = f"{_cause(found, words).removesuffix(': ')}, yet none falls" if found.loud.any() else ""
    return f"{who or f'No {words.group} falls'} below {number(threshold)} dB{_gains(gain, words)}"


def _gains(gain: float, words: Words) -> str:
    some = np.isfinite(gain) and gain > 0
    return f"; {words.instead} gains {decibels(gain)}{words.note}" if some else ""


def _cause(found: ChannelMap, words: Words) -> str:
    """``Channels 11 and 45 set the step: ``, or nothing where none stands out."""
    loud = np.flatnonzero(found.loud)
    if not len(loud) or found.channels < NAMED:
        return ""
    one, many = ("is clipped", "are clipped") if _is_cut(found) else ("sets", "set")
    if not _is_cut(found):
        step = " the step" if found.granularity == PER_TENSOR else " the steps"
        one, many = one + step, many + step
    return f"{_called(loud, words)} {one if len(loud) == 1 else many}: "


def _called(some: np.ndarray, words: Words) -> str:
    """``Channel 7``, ``Channels 11 and 45``, or how many where they are many."""
    if len(some) > NAMED:
        return f"{integer(len(some))} {words.group}s"
    if len(some) == 1:
        return f"{words.group.capitalize()} {some[0]}"
    return f"{words.group.capitalize()}s {', '.join(map(str, some[:-1]))} and {some[-1]}"


def _is_cut(found: ChannelMap) -> bool:
    """Whether the shared range ends well inside the loudest group, so that it sets no step."""
    reach = max(float(-found.range.lo[0]), float(found.range.hi[0]))
    return reach < CUT * float(found.amax.max())


def _damage(found: ChannelMap, low: int, after: int, threshold: float, words: Words) -> str:
    hurt = np.flatnonzero(found.shared.sqnr < threshold)
    verb = "falls" if low == 1 else "fall"
    who = f"{integer(low)} of {integer(found.channels)} {words.group}s"
    if low <= NAMED and not found.loud.any():
        who = _called(hurt, words)
    start = f"{who} {verb} below {number(threshold)} dB"
    some = "1 still does" if after == 1 else f"{integer(after)} still do"
    then = "none does" if after == 0 else some if after < low else "as many do"
    return f"{start}; {words.instead}, {then}"


def measured(found: ChannelMap, words: Words) -> str:
    """The loudest against the median channel, and what the overall number says of the others."""
    peak, overall = int(np.argmax(found.amax)), found.shared.overall
    if not found.median:
        return ""
    lost = _gone(found.dead, words, ("is dead", "are dead"))
    lost += _gone(found.empty, words, ("has no finite value", "have no finite value"))
    return _peak(found, peak, words) + _others(found, overall, words) + lost


def _gone(which: np.ndarray, words: Words, said: tuple[str, str]) -> str:
    """`` 2 channels are dead.``; nothing where there is none."""
    many = int(which.sum())
    plural = many > 1
    return f" {integer(many)} {words.group}{'s' * plural} {said[plural]}." if many else ""


def _peak(found: ChannelMap, peak: int, words: Words) -> str:
    worst = found.shared.sqnr
    low = int(np.argmin(np.where(np.isfinite(worst), worst, np.inf)))
    if not found.loud.any() and 0 < found.amax[low] < found.median / QUIET:
        times = number(float(found.median / found.amax[low]), 2)
        return (
            f"{words.group.capitalize()} {low} reaches only {number(float(found.amax[low]))}, "
            f"the median {words.group} {times} times as far."
        )
    ratio = number(float(found.amax[peak] / found.median), 2)
    return (
        f"{words.group.capitalize()} {peak} reaches {number(float(found.amax[peak]))}, "
        f"{ratio} times the median {words.group}."
    )


def _others(found: ChannelMap, overall: float, words: Words) -> str:
    if not found.loud.any() or found.loud.all():
        worst = found.shared.sqnr[np.isfinite(found.shared.sqnr)]
        tail = f", the worst {words.group} {decibels(float(worst.min()))}" if worst.size else ""
        return f" Overall {_db(overall)} {words.shared}{tail}."
    quiet, others = found.quiet, int((~found.loud).sum())
    codes = f" and use {found.quiet_codes} codes" if found.quiet_codes >= 0 else ""
    rest = f"the other {integer(others)} get {_db(quiet)}{codes}"
    if quiet < overall:
        return f" Overall {_db(overall)} {words.shared} hides this: {rest}."
    return f" Overall {_db(overall)} {words.shared} is what the loud lose: {rest}."


def _db(value: float) -> str:
    return "exact" if np.isinf(value) else decibels(value)


def listed(channels: np.ndarray, values: np.ndarray | None = None) -> str:
    """Channels one after the other, with a value in dB each; how many more there are."""
    shown = [
        str(c) if values is None else f"{c} ({_db(float(values[c]))})" for c in channels[:LISTED]
    ]
    more = len(channels) - LISTED
    return ", ".join(shown) + (f" and {integer(more)} more" if more > 0 else "")
