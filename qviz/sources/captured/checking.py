"""Whether the numbers of a saved capture are statistics: once, over all tensors at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from qviz.observers.distinct import Distinct
from qviz.sources.captured.demands import Ends, Pair, demand, nothing, span, spread
from qviz.sources.captured.described import Contradiction, Described
from qviz.sources.captured.writing import LENGTHS

PIECE = 2**19  # rows that are checked at a time
ROWS = {  # column of lengths: members with so many rows
    "sorted": ("sorted",),
    "counts": ("counts", "lows", "highs"),
    "distinct": ("distinct", "repeats"),
}
SLACK = 1e-6  # relative, of sums that were rounded


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of all tensors one after the other, and how many rows belong to each."""

    tensors: Sequence[Described]
    arrays: Mapping[str, np.ndarray]

    def check(self) -> None:
        """Raises Contradiction: some are no statistics, or disagree with each other."""
        with np.errstate(all="ignore"):
            self._check_lengths()
            ends = self._checked_extremes()
            self._check_channels(ends)
            self._check_moments(ends)
            for at in self._pieces():
                part, own = self._part(at), ends.of(at)
                part._check_sorted(own)
                part._check_cells(own)
                part._check_distinct(own)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Rows of each tensor by column of ``lengths``, (tensors, 5)."""
        return self.arrays["lengths"]

    def owners(self, name: str) -> np.ndarray:
        """The tensor that each row belongs to."""
        return np.repeat(np.arange(len(self.tensors)), self.lengths[:, LENGTHS.index(name)])

    def _pieces(self) -> Iterator[slice]:
        """Some tensors at a time: masks over all rows at once would take many times the capture."""
        rows = self.lengths[:, [LENGTHS.index(name) for name in ROWS]].sum(axis=1)
        ends = np.flatnonzero(np.diff(np.cumsum(rows) // PIECE, append=-1)) + 1
        return (slice(a, b) for a, b in pairwise([0, *ends.tolist()]))

    def _part(self, at: slice) -> Numbers:
        """The same of some tensors, with the rows that are theirs."""
        arrays = {"lengths": self.lengths[at]}
        for name, members in ROWS.items():
            first, last = self._before(name)[[at.start, at.stop]]
            arrays |= {member: self.arrays[member][first:last] for member in members}
        return Numbers(self.tensors[at], arrays)

    def _before(self, name: str) -> np.ndarray:
        """Rows ahead of each tensor, and of all."""
        return np.concatenate([[0], np.cumsum(self.lengths[:, LENGTHS.index(name)])])

    def _each(self, name: str) -> np.ndarray:
        """A field of all tensors."""
        return np.array([getattr(t, name) for t in self.tensors])

    def _check_lengths(self) -> None:
        rows = {name: len(self.arrays[name]) for name in LENGTHS}
        rows |= {"lows": rows["counts"], "highs": rows["counts"], "repeats": rows["distinct"]}
        rows |= {"moments": len(self.tensors), "lengths": len(self.tensors)}
        for name, count in rows.items():
            if len(self.arrays[name]) != count:
                raise Contradiction(f"the length of {name}")
        for at, name in enumerate(LENGTHS):
            each = self.lengths[:, at]
            if each.min() < 0 or each.max() > rows[name] or each.sum() != rows[name]:
                raise Contradiction(f"the lengths of {name}")
        by_value, size = self._each("sketch") == "sorted", self._each("size")
        expected = {
            "extremes": np.array([len(t.parts) for t in self.tensors]),
            "channels": self._each("channels"),
            "sorted": np.where(by_value, size, 0),
        }
        for name, count in expected.items():
            demand(self.lengths[:, LENGTHS.index(name)] == count, name)
        demand(~by_value | (self.lengths[:, LENGTHS.index("counts")] == 0), "cells")
        demand(self._each("few") | (self.lengths[:, LENGTHS.index("distinct")] == 0), "distinct")

    def _checked_extremes(self) -> Ends:
        own = self.owners("extremes")
        lo, hi, n, *odd, zero, subnormal = self.arrays["extremes"].T
        left = n - sum(odd)
        whole = [np.isfinite(v) & (v >= 0) & (v == np.floor(v)) for v in (n, *odd, zero, subnormal)]
        parts = np.array([part for t in self.tensors for part in t.parts], np.float64)
        fine = np.all(whole, axis=0) & (n == parts) & (zero + subnormal <= left)
        two = spread(lo, hi) & ((zero == 0) | ((lo <= 0) & (hi >= 0)))
        demand(fine & np.where(left > 0, two, nothing(lo, hi) & (left == 0)), "extremes")
        count = len(self.tensors)
        finite, zeros = (np.bincount(own, v, count) for v in (left, zero))
        return Ends(*span(own, lo, hi, count), finite, zeros)

    def _check_channels(self, ends: Ends) -> None:
        own, (lo, hi) = self.owners("channels"), self.arrays["channels"].T
        demand(spread(lo, hi) | nothing(lo, hi), "channels")
        least, most = span(own, lo, hi, len(self.tensors))
        there = np.array([t.axis is not None for t in self.tensors])
        demand(~there | ((least == ends.lo) & (most == ends.hi)), "channels")

    def _check_moments(self, ends: Ends) -> None:
        n, mean, m2, a1, m3, m4 = self.arrays["moments"].T
        some, top = n > 0, np.where(n > 0, np.maximum(np.abs(ends.lo), np.abs(ends.hi)), 0.0)
        near, width = SLACK * top, np.where(n > 0, ends.hi - ends.lo, 0.0) + SLACK * top
        fine = (mean >= ends.lo - near) & (mean <= ends.hi + near) & np.isfinite(mean)
        fine &= (m2 >= 0) & (m2 <= n * width**2) & (a1 >= 0) & (a1 <= n * (top + near))
        powers = (m4 >= 0) & (m4 <= n * width**4) & (np.abs(m3) <= n * width**3)
        fine &= powers | (n * width**4 == np.inf)  # there they may be anything
        none = ~self.arrays["moments"].any(axis=1)
        demand((n == ends.finite) & np.where(some, fine, none), "moments")

    def _check_sorted(self, ends: Ends) -> None:
        own, values = self.owners("sorted"), self.arrays["sorted"]
        finite = np.isfinite(values)
        step = own[1:] == own[:-1]
        demand(finite | np.isnan(values), "sorted values")
        falls = step & ~((values[1:] >= values[:-1]) | np.isnan(values[1:]))
        demand(~falls, "sorted values")
        self._check_values("sorted values", ends, (own[finite], values[finite]), None)

    def _check_cells(self, ends: Ends) -> None:
        own, lows, highs = self.owners("counts"), self.arrays["lows"], self.arrays["highs"]
        counts = self.arrays["counts"]
        fine = spread(lows, highs) & (counts > 0) & ((counts > 1) | (lows == highs))
        demand(fine, "cells")
        demand((lows[1:] > highs[:-1]) | (own[1:] != own[:-1]), "cells")
        there = self._each("sketch") == "counts"
        count = len(self.tensors)
        demand(~there | (np.bincount(own, counts, count) == ends.finite), "cells")
        least, most = span(own, lows, highs, count)
        demand(~there | ((least == ends.lo) & (most == ends.hi)), "cells")
        wide = np.bincount(own, lows < highs, count) > 0
        demand(self._each("exact") == ~wide, "cells")

    def _check_distinct(self, ends: Ends) -> None:
        own, values = self.owners("distinct"), self.arrays["distinct"]
        repeats = self.arrays["repeats"]
        demand(np.isfinite(values) & (repeats > 0), "distinct values")
        demand((values[1:] > values[:-1]) | (own[1:] != own[:-1]), "distinct values")
        demand(self.lengths[:, LENGTHS.index("distinct")] <= Distinct().limit, "distinct values")
        self._check_values("distinct values", ends, (own, values), repeats)

    def _check_values(
        self,
        words: str,
        ends: Ends,
        rows: Pair,
        weight: np.ndarray | None,
    ) -> None:
        """Values that are all of a tensor: their number, extremes and zeros, and their type."""
        own, values = rows
        count = len(self.tensors)
        there = self._each("few") if weight is not None else self._each("sketch") == "sorted"
        number = np.bincount(own, weight, count)
        zero = np.bincount(own, (values == 0) * (1 if weight is None else weight), count)
        least, most = span(own, values, values, count)
        same = (number == ends.finite) & (zero == ends.zero)
        demand(~there | (same & (least == ends.lo) & (most == ends.hi)), words)
        for kind in ("float16", "float32"):
            of_kind = (self._each("kind") == kind)[own]
            held = values[of_kind]
            demand(held.astype(kind) == held, words)
