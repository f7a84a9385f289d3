"""A measured op beside its published formula, in words with an element to look at."""

from __future__ import annotations

from qviz.dialects.tensorflow.contrast import Contrast
from qviz.dialects.tensorflow.views import Answer
from qviz.figures.numbers import integer, number, percent, until_they_differ
from qviz.figures.tf_words import differ, told_apart

LEAST = 1e-5  # of a step: float32 and float64 differ by that anyway


def difference(contrast: Contrast) -> str:
    """An op and its published formula in one sentence, with an element to look at."""
    ours, theirs = contrast.measured, contrast.documented
    if ours.refused or theirs.refused:
        return f"{'Measured' if ours.refused else 'Documented'}: {ours.refused or theirs.refused}"
    said = [*_outputs(ours, theirs), *_ends(ours, theirs), *_steps(ours, theirs)]
    if contrast.element is None:
        return "; ".join([*said, "every value comes back the same"]) + "."
    e = contrast.element
    back = until_they_differ(e.documented_back, e.back)
    said.append(_share(contrast))
    example = (
        f"{number(e.x, 4)} becomes code {integer(e.documented_code)} and comes back as {back[0]} "
        f"by the documentation, code {integer(e.code)} and {back[1]} in the op"
    )
    return f"{'; '.join(said)}. {example}."


def _share(contrast: Contrast) -> str:
    """How many of the values looked at; points of the range are only looked at for an example."""
    if not contrast.looked:
        return "some values come back differently"
    if not contrast.share:
        return "the values looked at come back the same, others do not"
    if contrast.looked == 1:
        return "the one value looked at comes back differently"
    share, looked = percent(contrast.share), integer(contrast.looked)
    return f"{share} of the {looked} values looked at come back differently"


def _outputs(ours: Answer, theirs: Answer) -> list[str]:
    if not differ(ours.covered, theirs.covered):
        return []
    pair = told_apart(theirs.covered, ours.covered)
    return [f"levels span {pair[0]} by the documentation, {pair[1]} in the op"]


def _ends(ours: Answer, theirs: Answer) -> list[str]:
    both = [q.ends for q in (theirs.quantizer, ours.quantizer) if q is not None]
    if both[0] == both[-1]:
        return []
    texts = [f"{integer(first)} to {integer(last)}" for first, last in both]
    return [f"codes {texts[0]} against {texts[1]}"]


def _steps(ours: Answer, theirs: Answer) -> list[str]:
    if abs(ours.step - theirs.step) < LEAST * ours.step:
        return []
    pair = until_they_differ(theirs.step, ours.step)
    return [f"step {pair[0]} against {pair[1]}"]
