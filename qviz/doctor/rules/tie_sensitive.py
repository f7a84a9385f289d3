"""Values half-way between two codes, where back-ends differ by one."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.base import LOW, NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.words import percent
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import Quantizer
from qviz.rosetta.fragility import variants

SHARE, MANY = 1e-3, 1e-2  # of the values
LOOKED = 2**15
TIES = "ties"


@rule(
    "TIE-SENSITIVE",
    title="Codes depend on the tie rule",
    fires="over 0.1 % of the codes change with the rule for ties",
    rated="a note, low from 1 % on: at most one step each",
    reports=(
        *("microsoft/onnxruntime#25045", "pytorch/pytorch#49779", "pytorch/pytorch#58130"),
        *("tensorflow/tensorflow#63271", "tensorflow/tensorflow#103028"),
    ),
)
def tie_sensitive(case: Case) -> Finding | None:
    """Codes that flip under another arithmetic, on evenly spaced values."""
    made, how = _computed(case)
    first = case.values.batches[0].reshape(-1)
    x = xp.host(xp.working(first[:: max(1, -(-xp.size(first) // LOOKED))]))[None]
    x = x[np.isfinite(x)][None].astype(np.float32)
    if not x.size:
        raise QvizError("There is no finite element.")
    usual = np.clip(how.encode(x), *made.ends)
    flips = {
        name: float(_differ(np.clip(other.encode(x), *made.ends), usual).mean())
        for name, other in variants(how).items()
        if name.startswith(TIES) or name.startswith("zero point")
    }
    share = max(flips.values(), default=0.0)
    if not share > SHARE:
        return None
    zero = getattr(made, "zero_point", None)
    evidence = {"flips": flips, "threshold": SHARE, "looked_at": int(x.size)}
    evidence["odd_zero_point"] = zero is not None and bool(int(zero[0]) % 2)
    message = (
        f"{percent(share)} of the codes (over {percent(SHARE)}) change by one under another rule "
        "for ties: back-ends will differ there, so state the rule."
    )
    return Finding(LOW if share > MANY else NOTE, message, evidence, expected=share <= MANY)


def _differ(codes: np.ndarray, usual: np.ndarray) -> np.ndarray:
    """Where codes differ; 0 / 0, the zeros of an empty range, is no code under any rule."""
    return (codes != usual) & ~(np.isnan(codes) & np.isnan(usual))


def _computed(case: Case) -> tuple[Quantizer, Arithmetic]:
    """The quantizer and how it computes. Raises QvizError where ties cannot be looked at."""
    if not case.per_tensor:
        raise QvizError(
            "Ties are looked at under one step for the whole tensor.",
            f"Here there are several ({case.target.granularity}).",
            "Give the tensor one range to have them counted.",
        )
    made = case.row.quantizer
    if made is None:
        raise QvizError(case.row.refused or "There is no quantizer.")
    if made.arithmetic is None:
        raise QvizError(
            "Ties cannot be looked at: how this mode rounds and divides is not recorded.",
            "",
            "Choose a mode that counts evenly spaced codes, such as affine.",
        )
    return made, made.arithmetic
