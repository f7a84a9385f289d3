"""What a convention is: a way to write down scale, zero point and codes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from qviz.registry import Registry
from qviz.rosetta.answers import Answer

CONVENTIONS = Registry("convention", "qviz.rosetta.conventions")
INT8, BYTE = 128, 256
LAST_BITS = 1e-3  # steps; levels that are off by less are rounded otherwise


@dataclass(frozen=True)
class Grid:
    """An even grid that holds 0: its step, and codes counted from the lowest.

    Value of code k = 0 .. ``levels`` - 1: (k - ``zero``) * ``scale``.
    """

    scale: float
    zero: int
    levels: int

    @property
    def lo(self) -> float:
        """Lowest value."""
        return -self.zero * self.scale

    @property
    def hi(self) -> float:
        """Highest value."""
        return (self.levels - 1 - self.zero) * self.scale

    @property
    def symmetric(self) -> bool:
        """Whether the middle code, or the one above the middle, stands for 0."""
        return self.zero == self.levels // 2

    @property
    def digits(self) -> str:
        """The scale in float32: shortest digits that read back to it."""
        return str(np.float32(self.scale))


@dataclass(frozen=True)
class Expressed:
    """A grid in one convention: text to copy, numbers in words, or why it cannot be said.

    ``lost`` says what the text does not tell even where it can be written.
    """

    text: str = ""
    note: str = ""
    refused: str | None = None
    lost: str = ""


class Convention(ABC):
    """One tool's way to write a quantizer down."""

    @abstractmethod
    def express(self, grid: Grid) -> Expressed:
        """The grid as this tool writes it, or the reason why it cannot."""


def grid_of(answer: Answer) -> Grid | str:
    """The even grid of an answer, or why it has none that others could write down."""
    zero, ends = answer.zero_point, answer.ends
    if answer.quantizer is None or ends is None:
        return "this rule has no grid here"
    if not answer.scale:
        return "its scale is 0: everything becomes 0"
    if zero is None:
        return "it has no zero point: codes count from the lower end of the range"
    if zero != int(zero) or not ends[0] <= zero <= ends[1]:
        return f"its zero point {zero:g} is none of the codes"
    grid = Grid(answer.scale, int(zero) - ends[0], ends[1] - ends[0] + 1)
    return _unlike(answer, grid) or grid


def _unlike(answer: Answer, grid: Grid) -> str | None:
    """Why (k - zero) * scale is not what the rule gives back, or None."""
    if answer.quantizer is None:
        return None
    with np.errstate(all="ignore"):
        levels = np.asarray(answer.quantizer.levels(), np.float64)[0]
        wanted = (np.arange(grid.levels) - grid.zero) * grid.scale
        off = np.abs(levels - wanted)
    if not (off > LAST_BITS * grid.scale).any():
        return None
    at = int(off.argmax())
    code = at + (answer.ends or (0, 0))[0]
    return (
        f"its values are not (code - zero point) * scale: code {code} stands for "
        f"{levels[at]:.6g}, not {wanted[at]:.6g}"
    )


def expressed(answer: Answer) -> dict[str, Expressed]:
    """An answer's quantizer in every convention, by the convention's name."""
    grid = grid_of(answer)
    if isinstance(grid, str):
        return {name: Expressed(refused=grid) for name in CONVENTIONS}
    found = {name: CONVENTIONS.make(name).express(grid) for name in CONVENTIONS}
    return {name: _narrowed(one, grid) for name, one in found.items()}


def _narrowed(one: Expressed, grid: Grid) -> Expressed:
    """Say that digits were dropped, where the scale is no float32."""
    if one.refused or float(np.float32(grid.scale)) == grid.scale:
        return one
    told = f"the rule's own scale is {grid.scale!r}, which no float32 is"
    return replace(one, lost=f"{one.lost}; {told}" if one.lost else told)


def too_many(grid: Grid, most: int = BYTE) -> str | None:
    """Why so many codes do not fit, or None."""
    return None if grid.levels <= most else f"it holds {most} codes, not {grid.levels:,}"
