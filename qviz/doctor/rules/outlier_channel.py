"""One channel, or a few, that force the step on all others; tokens that do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from qviz.doctor.base import LEVELS, QUIET, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.channels import BAD, FAR, Channels
from qviz.doctor.elsewhere import QUIET_ROWS, TOKEN, Rows, elsewhere, loud_rows
from qviz.doctor.gains import Ways, remedies, yardstick
from qviz.doctor.judged import by_token, eased, energies, judged, rated
from qviz.doctor.masks import masked
from qviz.doctor.remedies import sqnr
from qviz.doctor.rules.known_range import softmax_rows
from qviz.doctor.settings import Setting
from qviz.doctor.stepping import forced
from qviz.doctor.ways import ROWS, observers, own, wider
from qviz.doctor.words import counted, floats, named, number
from qviz.doctor.words import decibels as db
from qviz.spec import Role

ALONE = 2.0  # times the next channel, from which the outliers alone make the step
LOUD_ROWS = "loud rows"  # key of what was found, which two rules ask for


@rule(
    "OUTLIER-CHANNEL",
    title="One channel or token forces the step",
    fires="a channel's largest magnitude is over 6 times the median channel's, of at most a tenth, "
    "and the range reaches that far; a token's (or an image's), where the others keep below 10 dB",
    rated="the best gain at the output, else at the quiet channels, analysis included; at most "
    "low where these keep over 40 dB, at most medium over 30 dB",
    reports=("Jonah-May-OSS/wyoming-whisper-trt#1052", "NVIDIA/TensorRT#4073"),
)
def outlier_channel(case: Case) -> Finding | None:
    """The channels, how far out they are, and what the others are left with.

    Tokens are looked at where channels are alike, or cost the others little; so are inputs of a
    weight where its outputs are alike. Their others must be below 10 dB. A step that was given
    counts where the data asks for it: else another rule says what is wrong with it. Beside masks
    that the range leaves out, and where each token has a step, channels alone are looked at.
    """
    look = judged(case)
    if look is None or look is not case or not case.per_tensor:
        return None if look is None else _found(look, "channel", case)
    found, where = _found(case, "channel"), elsewhere(case)
    if found is not None and _bad(found) and not _middle(case):
        return found
    other = None if where is None else _found(where, "channel")
    other = loud_token(case) if other is None else other
    return other if other is not None and _bad(other) else found


def loud_token(case: Case) -> Finding | None:
    """A few tokens, or images, that force the step on all others, which keep below 10 dB."""
    if LOUD_ROWS not in case.known:
        case.known[LOUD_ROWS] = _loud_token(case)
    return case.known[LOUD_ROWS]


def _loud_token(case: Case) -> Finding | None:
    if masked(case):
        return None
    rows = loud_rows(case)
    made = None if rows is None else _found(rows.case, rows.unit)
    if rows is None or made is None or not _bad(made):
        return None
    return _placed(case, rows, made)


def _bad(found: Finding) -> bool:
    return bool(found.evidence["quiet_sqnr"] < BAD)


def _middle(case: Case) -> bool:
    """Whether the axis that was picked is that of tokens by custom."""
    unknown = case.role == Role.UNKNOWN and case.axis is None
    return unknown and len(case.values.batches[0].shape) == 3 and case.channel_axis == 1


def _found(case: Case, unit: str, whole: Case | None = None) -> Finding | None:
    """``whole`` is the case with its masks, where there are any."""
    there = case.channels
    if there is None or not there.telling or not there.outliers.any():
        return None
    if softmax_rows(case) is not None or not (case.per_tensor or by_token(case, there)):
        return None
    if not forced(case, there, FAR):
        return None
    loud = np.flatnonzero(there.outliers)
    loud = loud[np.argsort(-there.amax[loud])]
    times, following = (float(v / there.median) for v in _farthest(there, loud))
    if times < following:
        return None  # a lone value of a short channel sets the step
    quiet, codes = _left(case, there)
    evidence = {"channels": loud[:64].tolist(), "axis": there.axis, "times_median": times}
    evidence |= {"threshold": FAR, "absmax": floats(there.amax[loud]), "median": there.median}
    evidence["next_times"] = following
    evidence |= {"quiet_sqnr": quiet, "quiet_codes": codes, "sqnr": case.metric("sqnr")}
    evidence |= {"sampled": there.sampled, "measured_at": yardstick(case)}
    evidence |= {"quiet_channels": int(there.quiet.sum()), "unit": unit}
    made = Finding("", _said(evidence, unit, loud.tolist()), evidence)
    return made if unit != "channel" else rated(whole or case, case, made, quiet)


def _farthest(there: Channels, loud: np.ndarray) -> tuple[float, float]:
    """Largest magnitudes of the outliers and of all others."""
    return float(there.amax[loud[0]]), float(there.amax[there.quiet].max())


def _said(evidence: dict[str, Any], unit: str, loud: list[int]) -> str:
    """The finding in a sentence."""
    who, times, after = named(loud).replace("channel", unit), evidence["times_median"], ""
    verb = "forces" if len(loud) == 1 else "force"
    if times < ALONE * evidence["next_times"]:
        verb = "sets" if len(loud) == 1 else "set"
        after = f", the next one {number(evidence['next_times'])} times"
    codes, others = evidence["quiet_codes"], evidence["quiet_channels"]
    one = "s" * (others == 1)
    step = "the step" if codes is not None else "the step of each token"
    used = "" if codes is None else f"use{one} {counted(codes, 'code')} and "
    said = (
        f"{who} {verb} {step}, {number(times)} times the median {unit} (over {FAR:g}){after}: "
        f"the other {counted(others, unit)} {used}"
        f"ha{'s' if one else 've'} {db(evidence['quiet_sqnr'])}, which is the number to trust."
    )
    return said[:1].upper() + said[1:]


def _placed(case: Case, rows: Rows, made: Finding) -> Finding:
    """The finding with rows named by their place in a sample, and what helps them."""
    loud, rank = np.array(made.evidence["channels"]), len(case.values.batches[0].shape)
    axis, at = rank - 2 if rows.unit == TOKEN else 0, made.evidence["measured_at"]
    first = dict(zip((loud[::-1] % rows.each).tolist(), made.evidence["absmax"][::-1], strict=True))
    places = rows.places(loud)
    evidence = {**made.evidence, "channels": places, "axis": axis}
    evidence["absmax"] = [first[place] for place in places]
    evidence |= {"rows": loud.tolist(), "measured_at": QUIET_ROWS[rows.unit] if at == QUIET else at}
    best = remedies(rows.case, _each(case, rows))
    more = remedies(rows.case, [*wider(rows.case), *_cuts(rows.case)])
    deployed = rows.unit == TOKEN
    fixes = (*best.fixes * deployed, *more.fixes)
    level = max(best.severity, more.severity, key=LEVELS.index)
    return Finding(
        eased(case, level, made.evidence["quiet_sqnr"]),
        _said(evidence, rows.unit, places),
        evidence,
        _at(rows, fixes),
        _at(rows, (*best.tried, *more.tried)),
        analysis=_at(rows, () if deployed else best.fixes),
    )


def _at(rows: Rows, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """Fixes whose gain is that of the other tokens, where it is not that of all."""
    where = QUIET_ROWS[rows.unit]
    return tuple(replace(f, measured_at=where) if f.measured_at == QUIET else f for f in fixes)


def _each(case: Case, rows: Rows) -> Iterator[tuple[str, Setting]]:
    """A step for each row."""
    words = f"give each {rows.unit} its own step"
    sure = rows.unit != TOKEN or case.role == Role.ACTIVATION
    yield words if sure else words + ROWS, own(rows.case, rows.granularity())


def _cuts(case: Case) -> Ways:
    return observers(case, "percentile:keep=99.9", "percentile:keep=99.99")


def _left(case: Case, there: Channels) -> tuple[float, int | None]:
    """SQNR of the quiet channels together, and the codes that occur in them under one step."""
    made = case.row.quantizer
    xx, ee = energies(case, there)
    codes = None
    if made is not None and case.per_tensor:
        codes = len(np.unique(made.quantize(there.matrix[:, there.quiet].reshape(1, -1))))
    left = sqnr(xx[there.quiet].sum(), ee[there.quiet].sum())
    return (left if np.isfinite(left) else 0.0), codes
