"""Few values are clipped, but they carry much of the energy."""

from __future__ import annotations

from qviz.doctor.base import HIGH, NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.clipping import undone
from qviz.doctor.masks import unmasked
from qviz.doctor.paid import spared
from qviz.doctor.words import percent

FEW, MUCH = 0.01, 0.1  # share of the values, and of the energy


@rule(
    "CLIPPED-TAIL-MATTERS",
    title="The clipped tail matters",
    fires="under 1 % of the values are clipped, which costs over 10 % of the energy",
    rated="the gain of a wider range; a note where a few far values would ruin the usual ones",
    reports=("NVIDIA/TensorRT#2705", "NVIDIA/TensorRT#3922"),
)
def clipped_tail_matters(case: Case) -> Finding | None:
    """Clipped energy beside clipped count, of what is data."""
    bare = unmasked(case)
    share, energy = bare.metric("clipped_share"), bare.metric("clipped_energy")
    if not share or energy is None or share >= FEW or energy <= MUCH:
        return None
    count = int(bare.metric("clipped") or 0)
    evidence = {"clipped": count, "clipped_share": share, "clipped_energy": energy}
    evidence |= {"most_share": FEW, "least_energy": MUCH}
    message = (
        f"{count:,} values are clipped, {percent(share)} of all (under {percent(FEW)}), but that "
        f"costs {percent(energy)} of the energy (over {percent(MUCH)})."
    )
    found, paid = spared(case, undone(case))
    if paid is not None and found.severity != HIGH:
        said = f"{message[:-1]}; {paid.words}."
        return Finding(NOTE, said, evidence, found.fixes, found.tried, expected=True)
    return found.finding(message, evidence)
