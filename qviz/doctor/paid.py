"""Clipping that pays: cut off are a few far values, whose range would ruin the usual ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from qviz.doctor.base import FROM, MEDIUM, NOTE, OUTPUT, RULES, Finding, Fix
from qviz.doctor.batchwise import left, parted, settled
from qviz.doctor.case import Case
from qviz.doctor.gains import yardstick
from qviz.doctor.masks import unmasked
from qviz.doctor.reaching import least, reach_to
from qviz.doctor.remedies import Remedies
from qviz.doctor.settings import Setting, changed
from qviz.doctor.words import decibels
from qviz.errors import QvizError
from qviz.quantizers.base import Quantizer, covered
from qviz.xp import Array

FAR_VALUES = "the few far values pay for the usual ones"
FAR_BATCHES = "the far batches pay for the others"
PAID = "clipping that pays"  # key of what was found, which two rules ask for


@dataclass(frozen=True, eq=False)
class Paid:
    """What the others have ``now``, and would ``then`` have with the far ones in range."""

    now: float
    then: float
    who: str

    @property
    def words(self) -> str:
        """What clipping gains them."""
        gain, then = decibels(self.now - self.then), decibels(self.then)
        return f"{self.who}: {gain} there ({then} would be left)"


def spared(case: Case, found: Remedies) -> tuple[Remedies, Paid | None]:
    """Ways to clip less, without those that bring back what it mended.

    That is OUTLIERS-SET-RANGE, or RANGE-JUMP of whole batches, under the wider range.

    These are left out where the usual values then keep below 20 dB (10 dB below a gap), at least
    3 dB less than now. What a few peaks cost the others is little where these keep more: the
    peaks are then what the tensor is for. What is left is a range between both: no fault where
    it gains under 12 dB. At an output what counts is measured.
    """
    made = case.row.quantizer if case.per_tensor else None
    if made is None or not found.fixes or yardstick(case) == OUTPUT:
        return found, None
    if PAID not in case.known:
        case.known[PAID] = _ruinous(unmasked(case), made, found.fixes)
    ruinous: dict[str, Paid] = case.known[PAID]
    if not ruinous:
        return found, None
    fixes = tuple(fix for fix in found.fixes if fix.how.get("observer") not in ruinous)
    return Remedies(fixes, found.tried), next(iter(ruinous.values()))


def _ruinous(case: Case, made: Quantizer, fixes: Sequence[Fix]) -> dict[str, Paid]:
    """By the observer as it is spelled; OUTLIERS-SET-RANGE is asked of the whole range alone."""
    out: dict[str, Paid] = {}
    every, sure = changed(case, observer="minmax"), False
    for fix in fixes:
        wide = changed(case, observer=fix.how["observer"])
        paid = _far_batches(case, made, wide)
        if paid is None:
            paid = _far_values(case, made, wide)
            if paid is not None and not sure:
                sure = _found("OUTLIERS-SET-RANGE", case, every) is not None
                if not sure:
                    break  # another rule explains it
        if paid is not None:
            out[fix.how["observer"]] = paid
    return out


def _far_values(case: Case, made: Quantizer, wide: Setting) -> Paid | None:
    """What the usual values would lose under a wider range, where it leaves them little."""
    then = settled(case, wide)
    far = None if then is None else reach_to(case, covered(then))
    if then is None or far is None:
        return None
    paid = _lost([parted(case, far.usual)[0]], made, then, FAR_VALUES)
    return None if paid is None or paid.then >= least(far) else paid


def _far_batches(case: Case, made: Quantizer, wide: Setting) -> Paid | None:
    """The same of batches that would set the range of all others."""
    batches, then = case.values.batches, settled(case, wide)
    found = None if len(batches) < 2 else _found("RANGE-JUMP", case, wide)
    if found is None or then is None:
        return None
    others = [batch for at, batch in enumerate(batches) if at not in found.evidence["batches"]]
    return _lost(others, made, then, FAR_BATCHES)


def _lost(parts: Sequence[Array], made: Quantizer, then: Quantizer, who: str) -> Paid | None:
    """What these parts lose; None where that is under 3 dB."""
    now, after = left(parts, made), left(parts, then)
    if now is None or after is None or now - after < FROM[MEDIUM]:
        return None
    return Paid(now, after, who)


def _found(name: str, case: Case, wide: Setting) -> Finding | None:
    """What a rule would find under this setting, worse than a note."""
    there = replace(case, observer=wide.observer, given=None, have=case.seen, known={})
    try:
        found = RULES.entry(name).made(there)
    except QvizError:
        return None
    return None if found is None or found.severity == NOTE else found
