"""On what a rule about channels looks, what its quiet ones are left with, and how bad that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from qviz.doctor.base import LEVELS, LOW, MEDIUM, OUTPUT, Finding, milder
from qviz.doctor.case import Case
from qviz.doctor.channels import ROWS, Channels
from qviz.doctor.gains import Ways, measured, remedies, with_analysis, yardstick
from qviz.doctor.masks import left_out, masked, unmasked
from qviz.doctor.remedies import Remedies
from qviz.doctor.settings import Setting, changed, present
from qviz.doctor.tries import sample, tried
from qviz.doctor.ways import by_channel, by_hand, finer, moved, unlike, wider
from qviz.errors import QvizError
from qviz.observers.manual import ManualObserver
from qviz.transforms.base import Operand

FLOORS = ((40.0, LOW), (30.0, MEDIUM))  # dB left, over which a finding is at most that severe
LOUDER = 2.0  # times all others, that channels are where they set a token's step
MOSTLY = 0.5  # share of the tokens whose step they set
BARE, LOST = "judged without masks", "lost by channel"  # keys of what was computed


def judged(case: Case) -> Case | None:
    """The case whose channels are set side by side: without masks that its range leaves out.

    None where the range holds masks: what channels then differ by is no matter.
    """
    if not masked(case):
        return case
    if not case.per_tensor or not left_out(case):
        return None
    if BARE not in case.known:
        case.known[BARE] = _bare(case)
    return case.known[BARE]


def _bare(case: Case) -> Case:
    """No model and no product is asked: neither can do without the masks."""
    bare, covered = unmasked(case), case.row.range or case.row.covered
    if not isinstance(case.used, ManualObserver) and covered is not None:
        ends = float(covered.lo[0]), float(covered.hi[0])
        bare = replace(bare, observer=ManualObserver(*ends))
    elif isinstance(case.used, ManualObserver):
        bare = replace(bare, observer=case.used)
    return replace(bare, runs=None, operand=None, following=None, known={})


def by_token(case: Case, there: Channels) -> bool:
    """Whether each token has a step, which the same loud channels set in most of them."""
    last = len(case.values.batches[0].shape) - 1
    if case.target.granularity != ROWS or there.axis != last or case.row.refused is not None:
        return False
    size, loud = np.abs(there.matrix), there.loud
    if not loud.any() or loud.all():
        return False
    far = size[:, loud].max(axis=1) > LOUDER * size[:, ~loud].max(axis=1)
    return bool(far.mean() > MOSTLY)


def energies(case: Case, there: Channels) -> tuple[np.ndarray, np.ndarray]:
    """Of each channel the sums of x^2 and e^2 under the steps of the case, on the sample."""
    made = case.row.quantizer
    if case.per_tensor:
        if made is None:
            raise QvizError(case.row.refused or "There is no quantizer.")
        return there.energies(made)
    if LOST not in case.known:
        made = tried(sample(case), present(case), None)
        case.known[LOST] = made.xx, made.ee
    return case.known[LOST]


def of_rest(case: Case, there: Channels) -> tuple[np.ndarray, np.ndarray]:
    """The same of all but the outliers, under steps that these would have by themselves."""
    rest = ~there.outliers
    alone = changed(case, observer="minmax" if by_hand(case) else None)
    made = tried(Operand(np.ascontiguousarray(there.matrix[:, rest]), 1), alone, None)
    xx, ee = np.zeros(there.count), np.zeros(there.count)
    xx[rest], ee[rest] = made.xx, made.ee
    return xx, ee


def rated(case: Case, look: Case, found: Finding, left: float) -> Finding:
    """A finding about channels of ``look`` with its ways out, of which ``left`` dB are left.

    Beside masks a range of each part would hold them: what it would gain is for analysis.
    """
    if look is case:
        made = with_analysis(case, _tried(case).finding(found.message, found.evidence))
    else:
        made = _beside(case, look, found)
    return replace(made, severity=eased(case, made.severity, left))


def eased(case: Case, level: str, left: float) -> str:
    """A level, held down where enough is left: over 40 dB low, over 30 dB medium.

    Where a model's output is known that must have as much.
    """
    if yardstick(case) == OUTPUT:
        left = min(left, measured(case, present(case), OUTPUT) or 0.0)
    return next((milder(level, most) for least, most in FLOORS if left > least), level)


def _tried(case: Case) -> Remedies:
    ways = unlike(case) if case.per_tensor else _of_tokens(case)
    return remedies(case, ways)


def _of_tokens(case: Case) -> Ways:
    """What helps beside a step for each token."""
    there = (*finer(case), *moved(case), *wider(case))
    return [(said, setting) for said, setting in there if setting != present(case)]


def _beside(case: Case, look: Case, found: Finding) -> Finding:
    made = remedies(look, wider(look) if case.given is None else ())
    each = remedies(look, _without_masks(look))
    level = max(made.severity, each.severity, key=LEVELS.index)
    told = made.finding(found.message, found.evidence)
    return replace(told, severity=level, analysis=each.fixes)


def _without_masks(look: Case) -> Iterator[tuple[str, Setting]]:
    for said, setting in (*finer(look), *by_channel(look)):
        yield f"{said}, masks left out", setting
