"""Channels whose ranges differ by orders of magnitude under one step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qviz.doctor.axes import SHORT, apart, times_below
from qviz.doctor.base import NOTE, OUTPUT, TENSOR, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.channels import BAD, FAR, Channels
from qviz.doctor.elsewhere import elsewhere
from qviz.doctor.energies import exact_sqnr
from qviz.doctor.gains import clips_loud, remedies, yardstick
from qviz.doctor.judged import by_token, energies, judged, of_rest, rated
from qviz.doctor.missed import missed
from qviz.doctor.remedies import sqnr
from qviz.doctor.rules.known_range import softmax_rows
from qviz.doctor.rules.outlier_channel import loud_token
from qviz.doctor.stepping import forced
from qviz.doctor.ways import unlike, wider
from qviz.doctor.words import counted, decibels, indices, named, number, times
from qviz.metrics.base import decibels as metric_decibels
from qviz.spec import Role

APART = 10.0  # largest over median magnitude
BELOW = 20.0  # dB of the worst channel below the whole
LONG = 64  # elements from which a channel's own SQNR says something
NOTHING = 1e-6  # dB around 0, at which nothing but 0 comes back


@rule(
    "MIXED-RANGES",
    title="Channels of very different range",
    fires="largest channel over 10 times the median, or the worst both 20 dB below the whole and "
    "below 10 dB",
    rated="the best gain at the output, else at the quiet channels, analysis included; at most low "
    "where the worst channel keeps over 40 dB, at most medium over 30 dB; a note for channels that "
    "fade step by step in what is no weight",
    reports=(
        *("rockchip-linux/rknn-toolkit#121", "Edgecortix-Inc/pytorch_quantization#5"),
        *("qualcomm/aimet#2474", "openvinotoolkit/openvino#9234"),
    ),
)
def mixed_ranges(case: Case) -> Finding | None:
    """Worst channel and number of bad ones beside the overall number, which hides them.

    Outlying channels, at most a tenth, are left to OUTLIER-CHANNEL: only the rest is looked at, and
    told where it is unlike under a step of its own, too.
    Channels of few elements are told by their SQNR only where a weight has them 20 times too small.
    A channel that keeps 10 dB is of use, however good the whole is. An output of a weight is read
    by itself, but the channels of other tensors are added up, each with the same error: those that
    fade without a gap, as in a table of positions, lose only the little that they hold, and the
    whole tells what is lost. Inputs of a weight are looked at where outputs are alike.

    Channels as good as dead are left to DEAD-CHANNEL, unless a model's output misses them; what a
    token or a lone value makes of channels, and a step that the data does not ask for, to rules of
    their own.
    """
    look = judged(case)
    if look is None or loud_token(case) is not None:
        return None
    found = _found(look, case.role == Role.WEIGHT, whole=case)
    if look is not case:
        return found
    found = _at_output(case) if found is None else found
    other = elsewhere(case) if found is None else None
    if other is None:
        return found
    there = _found(other, False)
    return there if there is not None and there.evidence["worst_sqnr"] < BAD else None


def _at_output(case: Case) -> Finding | None:
    """The same with channels that are as good as dead, where a model runs and misses them."""
    there = case.channels
    if case.runs is None or there is None or not there.near_dead.any():
        return None
    if yardstick(case) != OUTPUT or not missed(case, there.near_dead, there.axis):
        return None
    return _found(case, True, dead=True)


def _found(
    case: Case, outputs: bool, dead: bool = False, whole: Case | None = None
) -> Finding | None:
    """The same along the case's axis; ``outputs`` says whether each channel is read by itself.

    ``dead`` says whether channels count that are as good as dead; ``whole`` is the case with masks.
    """
    there = case.channels
    if there is None or case.row.refused is not None or not _asked(case, there):
        return None
    alive = ~(there.dead | there.outliers) & (dead | ~there.near_dead)
    ratio = apart(there.amax[alive])
    ratio = min(ratio, apart(there.reach[alive])) if ratio < 2 * APART else ratio
    parts = energies(case, there)
    known = _own(alive, parts)
    at = int(known.argmin())
    made, worst = case.row.quantizer, float(known[at])
    if there.sampled and made is not None and case.per_tensor:
        worst = exact_sqnr(there, made, at)
    together = _together(case, there, parts)
    below = 0.0 if together is None or not _long(case, there, at) else together - worst
    bad, group = int((known < BAD).sum()), there.below & alive
    fades = ratio <= APART and not group[at] and not outputs
    if ratio <= APART and (below <= BELOW or worst >= BAD):
        return None
    if ratio <= APART and _of_outliers(case, there, alive, fades):
        return None
    evidence = {"ratio": ratio, "threshold": APART, "axis": there.axis, "sqnr": together}
    evidence |= {"worst_channel": at, "worst_sqnr": worst, "below_10_db": bad}
    evidence |= {"erased": int((np.abs(known) < NOTHING).sum()), "sampled": there.sampled}
    evidence |= {"worst_absmax": float(there.amax[at]), "median": there.median}
    evidence["faint"] = indices(group)
    why = f"Channels differ {number(ratio)} times (largest over median, above {APART:g})"
    if ratio <= APART:
        why = f"The worst channel is {decibels(below)} below the whole (over {BELOW:g} dB)"
    message = (
        f"{why}: {decibels(together)} overall hides channel {at} with {decibels(worst)} and "
        f"{counted(bad, 'channel')} below 10 dB"
    )
    found = Finding(NOTE, message + _group(there, group), evidence)
    return _rated(whole or case, case, found, fades)


def _asked(case: Case, there: Channels) -> bool:
    """Whether channels share a step that their data asks for, and may be set side by side."""
    if not there.telling or not (case.per_tensor or by_token(case, there)):
        return False
    if softmax_rows(case) is not None or clips_loud(case):
        return False  # the range is known, set by what is no data, or ends before loud channels
    return not there.lone and forced(case, there, 1.0)


def _long(case: Case, there: Channels, at: int) -> bool:
    """Whether a channel's own SQNR says something."""
    own = case.role == Role.WEIGHT and bool(there.faint[at] or there.near_dead[at])
    short = there.each >= SHORT and bool(there.below[at])
    return there.judged and (there.each >= LONG or own or short)


def _group(there: Channels, group: np.ndarray) -> str:
    """The channels that lie a gap below all others, by name."""
    few = np.flatnonzero(group).tolist()
    far = times(times_below(there.amax))
    return f" ({named(few)} of axis {there.axis}: {far} times below the median)" if few else ""


def _rated(case: Case, look: Case, found: Finding, fades: bool) -> Finding:
    """As severe as what helps; channels that fade away are rated where they are added up."""
    if not fades or yardstick(look) == OUTPUT:
        said = replace(found, message=f"{found.message}; trust the worst channel.")
        return rated(case, look, said, found.evidence["worst_sqnr"])
    made = remedies(look, unlike(look) if look is case else wider(look), TENSOR)
    fade = ", which fade step by step: what adds all channels up is told by the whole."
    return Finding(NOTE, found.message + fade, found.evidence, made.fixes, made.tried)


def _own(alive: np.ndarray, parts: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """SQNR in dB of each channel that counts, else infinite."""
    own = metric_decibels(*parts)
    return np.where(alive & np.isfinite(own), own, np.inf)


def _of_outliers(case: Case, there: Channels, alive: np.ndarray, fades: bool) -> bool:
    """Whether outliers alone make the others unlike: under a step of their own these are alike.

    Channels that fade step by step are so in most tensors: beside outliers they are no news.
    """
    if not there.outliers.any() or not forced(case, there, FAR):
        return False
    if fades:
        return True
    parts = of_rest(case, there)
    worst, whole = _own(alive, parts).min(), sqnr(parts[0].sum(), parts[1].sum())
    return not (worst < BAD and whole - worst > BELOW)


def _together(case: Case, there: Channels, parts: tuple[np.ndarray, np.ndarray]) -> float | None:
    """SQNR of all channels together; without outlying ones, whose energy says nothing of others."""
    if not there.outliers.any():
        return case.metric("sqnr")
    found = sqnr(*(part[~there.outliers].sum() for part in parts))
    return found if np.isfinite(found) else None
