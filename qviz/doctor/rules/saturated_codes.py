"""Codes that lie at the ends: scale and zero point of other data."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz.doctor.base import MEDIUM, NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.clipping import undone
from qviz.doctor.masks import unmasked
from qviz.doctor.rules.symmetric_with_offset import offset_of
from qviz.doctor.rules.uncalibrated import uncalibrated
from qviz.doctor.rules.zp_at_edge import zp_at_edge
from qviz.doctor.ways import by_hand
from qviz.doctor.words import interval, percent

SHARE = 0.2  # of the values at an end that is not the zero point


@rule(
    "SATURATED-CODES",
    title="Most codes are at the ends",
    fires="over 20 % of the codes are the first or last one (the zero point does not count)",
    rated="the gain of a range of this data; medium for codes alone; a note where a rule says why",
    reports=(
        *("tensorflow/tensorflow#62640", "tensorflow/tensorflow#53069"),
        *("tensorflow/tensorflow#35072", "alibaba/TinyNeuralNetwork#264"),
    ),
)
def saturated_codes(case: Case) -> Finding | None:
    """Share at each end, and the data beside what the codes cover."""
    return _values(case) if case.codes is None else _codes(case, case.codes)


def _codes(case: Case, codes: np.ndarray) -> Finding | None:
    low, high, zero = _ends(case, codes)
    at = [float((codes == end).mean()) if end != zero else 0.0 for end in (low, high)]
    if not codes.size or sum(at) <= SHARE or low >= high:
        return None
    evidence = {"first": at[0], "last": at[1], "codes": (low, high), "threshold": SHARE}
    message = (
        f"{percent(sum(at))} of the codes are {low} or {high} (over {percent(SHARE)}): what was "
        "quantized does not fit the scale and zero point, as with 0..255 in place of 0..1."
    )
    return Finding(MEDIUM, message, evidence)


def _ends(case: Case, codes: np.ndarray) -> tuple[int, int, int | None]:
    given = case.given
    if given is not None:
        return given.quant_min, given.quant_max, int(given.zero_point[0])
    if codes.dtype.kind in "iu" and codes.dtype.itemsize == 1:
        limits = np.iinfo(codes.dtype)
        return int(limits.min), int(limits.max), None
    return (*case.spec.ends, None)


def _values(case: Case) -> Finding | None:
    if not by_hand(case) or case.stream is None or offset_of(case):
        return None
    bare = unmasked(case)
    share = bare.metric("clipped_share") or 0.0
    if share <= SHARE or case.row.covered is None:
        return None
    kept = float(case.row.covered.lo[0]), float(case.row.covered.hi[0])
    evidence: dict[str, Any] = {"clipped_share": share, "covered": kept, "data": bare.ends}
    evidence["threshold"] = SHARE
    found = undone(case, "minmax", "percentile:keep=99.99")
    message = (
        f"{percent(share)} of the values are outside what the codes cover (over {percent(SHARE)}): "
        f"the data lies in {interval(*bare.ends)}, the codes cover {interval(*kept)}."
    )
    cause = _cause(case, share)
    if cause:
        return Finding(NOTE, f"{message[:-1]}; {cause} says why.", evidence | {"cause": cause})
    return found.finding(message, evidence)


def _cause(case: Case, share: float) -> str:
    """The rule that says why these values are outside; empty where it explains few of them."""
    if uncalibrated(case) is not None:
        return "UNCALIBRATED"
    edge = zp_at_edge(case) if case.per_tensor else None
    lost = 0.0 if edge is None else edge.evidence["lost_share"]
    return "ZP-AT-EDGE" if share - lost <= SHARE else ""
