"""A typed range under every rule: what each framework makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from qviz.figures.numbers import MOST_DIGITS, interval, number
from qviz.rosetta import Answer, answer, rules
from qviz.ui.notices import plain
from qviz.ui.rosetta.asked import BY

START = (-0.5, 2.5)
SHOWN = ("framework",)  # kinds of rules; the others are on the page that compares them
NAMES = 60  # characters of the names of a group


@dataclass(frozen=True)
class Group:
    """Rules that give the same codes: their names, and the answer they share."""

    titles: tuple[str, ...]
    answer: Answer

    @property
    def names(self) -> str:
        """``torch Affine, torch Learnable and 6 more``: as many names as fit."""
        fits = [n for n in range(1, len(self.titles) + 1) if len(_joined(self.titles, n)) <= NAMES]
        return _joined(self.titles, max(fits, default=1))


def _joined(titles: tuple[str, ...], count: int) -> str:
    more = len(titles) - count
    return ", ".join(titles[:count]) + (f" and {more} more" if more else "")


def groups(lo: float, hi: float) -> tuple[Group, ...]:
    """Answers of every framework's rules to a range, unsigned codes first.

    Rules belong together if codes, code of 0, step and covered range are the same numbers.
    """
    found: dict[tuple[object, ...], list[Answer]] = {}
    for rule in rules():
        if rule.kind in SHOWN:
            made = answer(rule, lo, hi)
            key = (made.ends, made.zero_point, made.scale, made.covered, made.degenerate)
            found.setdefault(key, []).append(made)
    made_of = [Group(tuple(a.rule.title for a in same), same[0]) for same in found.values()]
    return tuple(sorted(made_of, key=_order))


def _order(group: Group) -> tuple[bool, int]:
    """Unsigned codes first, since their zero points can be compared; then the largest group."""
    return _unsigned(group.answer) is None, -len(group.titles)


@st.fragment
def show() -> None:
    """Two boxes, a sentence, one line for each group of rules, and the way to the reasons."""
    st.markdown("##### One range, every rule")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lo = st.number_input("Lower end", value=START[0], key="home_lo", bind="query-params",
                             format="%g", width=170)  # fmt: skip
        hi = st.number_input("Upper end", value=START[1], key="home_hi", bind="query-params",
                             format="%g", width=170)  # fmt: skip
        st.page_link(
            "pages/5_Rosetta.py", label="Why do they differ?", icon=":material/translate:",
            query_params={"rosetta_by": BY["range"], "rosetta_lo": str(lo), "rosetta_hi": str(hi)},
        )  # fmt: skip
    if lo is None or hi is None or not lo <= hi:
        st.info("A range has a lower end that is not above the upper one.")
        return
    found = groups(lo, hi)
    st.caption(plain(sentence(found, lo, hi)))
    st.dataframe(
        {
            "zero point": [_zero(group.answer) for group in found],
            "rules": [group.names for group in found],
            "covers": [_covers(group.answer) for group in found],
            "step": [number(group.answer.scale, 6) for group in found],
            "codes": [_codes(group.answer) for group in found],
        },
        hide_index=True,
        width="stretch",
        row_height=31,
        column_config={"zero point": st.column_config.TextColumn(width=85)},
        alt="Zero point, step and covered range of every rule",
    )


def sentence(found: tuple[Group, ...], lo: float, hi: float) -> str:
    """How many rules give how many grids, and the code of 0 in unsigned 8-bit ones."""
    many = sum(len(group.titles) for group in found)
    points = sorted({_unsigned(group.answer) for group in found} - {None}, key=str)
    told = f"{many} rules of {len({r.dialect for r in rules() if r.kind in SHOWN})} frameworks"
    spread = f"; the unsigned ones put 0 at {' or '.join(map(str, points))}" if points else ""
    return f"{told} make {len(found)} different grids of {interval(lo, hi)}{spread}."


def _unsigned(made: Answer) -> int | float | None:
    return made.zero_point if made.ends is not None and made.ends[0] == 0 else None


def _zero(made: Answer) -> str:
    if made.degenerate and made.zero_point is None:
        return made.degenerate
    return number(made.zero_point, MOST_DIGITS) if made.zero_point is not None else "none"


def _codes(made: Answer) -> str:
    return "" if made.ends is None else "{} to {}".format(*map(number, made.ends))


def _covers(made: Answer) -> str:
    return interval(*made.covered, digits=5) if made.covered else made.degenerate
