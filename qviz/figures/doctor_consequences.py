"""What each rule's finding comes to, in a few words with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qviz.doctor.rules.outlier_channel import ALONE
from qviz.doctor.words import times
from qviz.figures.doctor_formats import clipped_words, overflow_words
from qviz.figures.numbers import decibels, integer, interval, number, percent

NAMED = 2  # channels named in a heading
Evidence = Mapping[str, Any]


def _who(channels: Sequence[int], unit: str) -> str:
    if len(channels) == 1:
        return f"{unit.capitalize()} {channels[0]}"
    shown = " and ".join(str(channel) for channel in channels[:NAMED])
    more = len(channels) - NAMED
    return f"{unit.capitalize()}s {shown}" if more <= 0 else f"{len(channels)} {unit}s"


def many(count: Any, what: str) -> str:
    """``1 channel``, ``63 channels``."""
    return f"{integer(int(count))} {what}{'' if count == 1 else 's'}"


def _outlier(e: Evidence) -> str:
    unit, codes = e.get("unit", "channel"), int(e["quiet_codes"])
    who = _who(e["channels"], unit)
    one = "s" * (int(e["quiet_channels"]) == 1)
    left = f"become{one} 0" if codes == 1 else f"use{one} {codes} codes"
    verb = "forces" if len(e["channels"]) == 1 else "force"
    if e.get("times_median", 0) < ALONE * e.get("next_times", 0):
        verb = verb.replace("force", "set")
    return f"{who} {verb} the step: the other {many(e['quiet_channels'], unit)} {left}"


def _mixed(e: Evidence) -> str:
    worst = f"channel {e['worst_channel']} is left with {decibels(e['worst_sqnr'])}"
    bad = int(e["below_10_db"])
    return f"One step for unlike channels: {worst}" + f", {bad} are below 10 dB" * (bad > 1)


def _tail(e: Evidence) -> str:
    few = many(e["clipped"], "clipped value")
    return f"{few} cost{'s' * (e['clipped'] == 1)} {percent(e['clipped_energy'])} of the energy"


def _spikes(e: Evidence) -> str:
    times, share = number(e["ratio"]), f"{100 * e['share']:.3g} %"
    return f"Some values set the range: {times} times as far as {share} of the others"


def _non_finite(e: Evidence) -> str:
    if "left_out" in e:
        return f"The range leaves {many(e['masks'], 'mask')} out"
    if "masks" in e:
        return f"{many(e['masks'], 'mask')} stretch{'es' * (e['masks'] == 1)} the range"
    if not e["nan"] + e["infinite"]:
        return f"Values up to {number(e['largest'])}: the whole tensor is out of scale"
    kinds = [f"{integer(e[k])} {w}" for k, w in (("nan", "NaN"), ("infinite", "infinite")) if e[k]]
    some = f"value{'s' * (e['nan'] + e['infinite'] != 1)}"
    return f"{' and '.join(kinds)} {some}: a naive range is {e['naive_range']}"


def _uncalibrated(e: Evidence) -> str:
    if e.get("elements") == 0:
        return "The tensor is empty: there is nothing to take a range from"
    if "finite" in e:
        return "No finite value: there is nothing to take a range from"
    return "Scale 1 and zero point 0: these qparams never saw data"


def _saturated(e: Evidence) -> str:
    share = e.get("clipped_share", e.get("first", 0.0) + e.get("last", 0.0))
    return f"{percent(share)} of the codes are at the ends: the data does not fit the scale"


def _known(e: Evidence) -> str:
    kept = interval(*e["known"])
    if "row_sum_error" in e:
        lost = percent(e["zeroed_share"])
        if "in_use" in e:
            return f"The range is the known one, {kept}: {lost} of the values become 0 even so"
        return f"The range is known, {kept}: {lost} of the values become 0 without it"
    if "in_use" in e:
        return f"The range is the known one, {kept}, and needs no calibration"
    return (
        f"The range is known, {kept}: {percent(e['share_at_bound'])} of the values lie at its end"
    )


def _moved(e: Evidence) -> str:
    return f"The window was moved {number(e['steps'])} steps off the data"


def _knife(e: Evidence) -> str:
    low, high = e["candidates"]
    return f"The zero point is a tie: {low} or {high}, depending on who rounds"


def _half(e: Evidence) -> str:
    if "unused" in e:
        return (
            f"{integer(e['unused'])} of {integer(e['codes'])} codes mirror data that is not there"
        )
    return "Half of the codes are unused: the data has one sign"


def _far(e: Evidence) -> str:
    if "unused" in e:
        return f"{integer(e['unused'])} of {integer(e['codes'])} codes lie between 0 and the data"
    return f"The data fills {percent(e['share_of_range'])} of the range: 0 lies far from it"


def _coarse(e: Evidence) -> str:
    if "fullest_bin" in e:
        return f"{integer(e['fullest_bin'])} values in one bin: float32 counts no further than 2²⁴"
    return f"{e['bins']} bins for {e['codes']} codes: cut-offs are coarse"


def _dead(e: Evidence) -> str:
    one, faint = "s" * (e["count"] == 1), len(e.get("near_dead", ()))
    what = f"become{one} 0 under one step" if faint else f"hold{one} only 0"
    return f"{many(e['count'], 'channel')} {what}"


def _too_large(e: Evidence) -> str:
    if "share" in e:
        return f"{percent(e['share'])} of the codes are the zero point: the step is too large"
    if "code" in e:
        return f"One code for all values: the step is {_times(1 / e['range_in_steps'])} their range"
    left = f": {many(e['codes_used'], 'code')} of {e['codes']} in use" * bool(e["codes_used"])
    return f"The step is {_times(e['times'])} that of a range of this data{left}"


def _times(ratio: float) -> str:
    return f"{times(ratio)} times"


CONSEQUENCES: dict[str, Callable[[Evidence], str]] = {
    "OUTLIER-CHANNEL": _outlier,
    "MIXED-RANGES": _mixed,
    "CLIPPED-TAIL-MATTERS": _tail,
    "OUTLIERS-SET-RANGE": _spikes,
    "NON-FINITE": _non_finite,
    "UNCALIBRATED": _uncalibrated,
    "SATURATED-CODES": _saturated,
    "KNOWN-RANGE": _known,
    "NUDGE-MOVED-WINDOW": _moved,
    "NUDGED-ENDS": lambda e: f"The ends moved by {number(e['steps'])} steps, so that 0 is a level",
    "ZP-KNIFE-EDGE": _knife,
    "DEAD-CHANNEL": _dead,
    "HALF-UNUSED": _half,
    "RANGE-FAR-FROM-ZERO": _far,
    "RANGE-JUMP": lambda e: f"Batch {e['batch']} widens the range {number(e['ratio'])} times",
    "SLOW-AVERAGE": lambda e: (
        f"The average has not arrived: {number(e['ratio'])} times the median batch"
    ),
    "BIAS-OVERFLOW": lambda e: (
        f"{many(e['count'], 'bias value')} beyond int32: another number comes back"
    ),
    "BIAS-ONE-STEP": lambda e: f"Everything is off by one step: {decibels(_lost(e))} are lost",
    "ZP-AT-EDGE": lambda e: (
        f"{percent(e['lost_share'])} of the values are {e['lost_side']}, and all become 0"
    ),
    "POW2-WASTE": lambda e: f"A power-of-two step uses {percent(e['share'])} of its codes",
    "TIE-SENSITIVE": lambda e: (
        f"{percent(max(e['flips'].values()))} of the codes change with the rule for ties"
    ),
    "ZERO-NOT-EXACT": lambda e: f"Zero comes back as {number(e['zero_becomes'])}",
    "ERROR-YARDSTICK": lambda e: (
        f"The error is {number(e['rmse_steps'])} steps, where rounding alone gives 0.289"
    ),
    "COARSE-HISTOGRAM": _coarse,
    "SCALE-UNDERFLOW": lambda e: f"{many(e['count'], 'scale')} too small for {e['stored']}",
    "FP8-OVERFLOW": overflow_words,
    "MX-CLIPPED": clipped_words,
    "SCALE-FLOOR": lambda e: (
        f"{many(e['count'], 'scale')} at the floor of 2⁻²³: "
        + ("few codes are left" if e["largest_magnitude"] else "nothing but 0 is there")
    ),
    "HW-SATURATION": lambda e: f"{percent(e['share'])} of the pairs of products saturate 16 bits",
    "LEARNED-SCALE-DIVERGED": lambda e: f"{many(e['count'], 'scale')}: no step at all",
    "ZERO-WEIGHTS": lambda e: f"{many(e['count'], 'group')} without any weight: a scale of 0/0",
    "STEP-TOO-LARGE": _too_large,
    "WRONG-AXIS": lambda e: (
        f"Steps along axis {e['axis']}, but axis {e['other']} is the unlike one"
    ),
}


def _lost(e: Evidence) -> float:
    return float(e["sqnr_fitting"]) - float(e["sqnr"])
