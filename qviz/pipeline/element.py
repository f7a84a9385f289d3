"""Why one element comes back as it does: bits, quotient, boundary, and what every rule makes of it.

>>> from qviz.quantizers.base import Target
>>> from qviz.spec import Range
>>> why = explain(Element.of(np.float32([0.7])), Range(-0.5, 2.5), Target.of())
>>> why.chosen.code, why.bits.power
(101, -1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.pipeline.element_bits import Bits, bits_of
from qviz.pipeline.element_line import Line, end_boundaries, line
from qviz.pipeline.element_rules import Answer, Refusal, answer, answers
from qviz.pipeline.element_ways import Way, ways
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.base import QUANTIZERS, Quantizer, Target, covered
from qviz.spec import Range
from qviz.xp import Array

NO_STEP = "the rule has no even step, so no single quotient decides"
NO_SCALE = "the scale is 0, so nothing can be divided by it"
NO_ZERO = "this grid has no level at 0, so x ÷ s alone decides nothing"
TOO_FAR = "the quotient is so large that float32 has no half steps there"
NOT_FINITE = "x is not finite"


@dataclass(frozen=True, eq=False)
class Element:
    """One element: flat index, bits, and its value (1,) in the type it is counted in.

    ``whole`` is the number it was before that type rounded it, None where nothing was lost.
    """

    index: int
    bits: Bits
    x: np.ndarray
    whole: int | None = None

    @staticmethod
    def of(value: Array, index: int = 0) -> Element:
        """An element from an array of one value in its own type."""
        x = xp.host(xp.working(value)).reshape(1)
        given = xp.host(value).reshape(1) if "int" in xp.dtype_name(value) else x
        lost = given.dtype.kind in "iu" and int(given[0]) != int(x[0])
        return Element(index, bits_of(value), x, int(given[0]) if lost else None)

    @property
    def value(self) -> float:
        """As float64."""
        return float(self.x[0])

    @property
    def finite(self) -> bool:
        """Neither NaN nor infinite."""
        return bool(np.isfinite(self.x[0]))


@dataclass(frozen=True, eq=False)
class Why:
    """All that decides about one element; see the records it is made of.

    ``range`` is what was asked for, ``covered`` what the grid in use spans, ``scale`` its step
    (None: uneven). ``chosen`` is the answer of the rule in use. ``ways`` is empty where no
    quotient decides, for ``no_ways``. ``line`` is None for a value that is not finite.
    """

    element: Element
    range: Range
    covered: Range
    ends: tuple[int, int]
    scale: float | None
    chosen: Answer
    line: Line | None
    ways: tuple[Way, ...]
    no_ways: str
    answers: tuple[Answer, ...]
    refused: tuple[Refusal, ...]

    @property
    def bits(self) -> Bits:
        """Of the element."""
        return self.element.bits

    @property
    def tie(self) -> tuple[str, ...]:
        """Ways of dividing that put the element exactly half-way between two levels."""
        return () if self.chosen.clipped else tuple(w.name for w in self.ways if w.ulps == 0)

    @property
    def on_boundary(self) -> bool:
        """Whether the value is its boundary in real numbers too, and ties alone send it off."""
        near = self.line is not None and self.line.floats in (0, -1)
        return bool(self.tie) and self.ways[-1].ulps == 0 and near


def explain(
    element: Element, range: Range, target: Target, quantizer: Quantizer | None = None
) -> Why:
    """Why an element comes back as it does on a range of one group.

    ``quantizer`` is the one in use where it was not made from the range (typed qparams).

    Raises
    ------
    QvizError
        The rule in use cannot make a quantizer of the range.
    """
    with np.errstate(all="ignore"):
        used = quantizer or target.mode.quantizer(range, target.spec)
        spans = covered(used)
    typed = isinstance(quantizer, AffineQuantizer)
    title = "Typed qparams" if typed else QUANTIZERS.title_of(target.mode)
    spelling = "typed" if typed else QUANTIZERS.spell(target.mode)
    chosen = answer(element.x, used, spelling, title)
    found, refused = answers(element.x, range, target)
    scale = None if used.step is None else float(used.step[0])
    no_ways = _no_ways(element, used, scale)
    found_line = line(used, element.value, element.x.dtype.name) if element.finite else None
    divided: tuple[Way, ...] = ()
    if scale is not None and not no_ways:
        end = _end(used, chosen) if chosen.clipped else _side(element.value, scale, found_line)
        divided = ways(element.value, scale, end)
    if not divided and not no_ways:
        no_ways = TOO_FAR
    return Why(
        element, range, spans, used.ends, scale, chosen,
        found_line, divided, no_ways, found, refused,
    )  # fmt: skip


def _no_ways(element: Element, used: Quantizer, scale: float | None) -> str:
    if not element.finite:
        return NOT_FINITE
    if scale is None:
        return NO_STEP
    if not scale > 0:
        return NO_SCALE
    with np.errstate(all="ignore"):
        zero = float(np.asarray(used.fake_quantize(np.zeros((1, 1), np.float32))).reshape(-1)[0])
    inside = float(covered(used).lo[0]) <= 0 <= float(covered(used).hi[0])
    return NO_ZERO if inside and zero != 0 else ""


def _end(used: Quantizer, chosen: Answer) -> float | None:
    """The boundary at which codes end, in steps from 0, where the value lies beyond it."""
    if used.step is None:
        return None
    edge = end_boundaries(used)[chosen.clipped == "high"]
    if not np.isfinite(edge):
        return None
    return float(np.rint(edge / float(used.step[0]) - 0.5) + 0.5)


def _side(x: float, scale: float, line: Line | None) -> float | None:
    """The boundary of a value on a level, in steps from 0: the one on the line is the nearest."""
    if line is None or line.nearest is None or not (x / scale).is_integer():
        return None
    return x / scale + (0.5 if line.nearest > x else -0.5)
