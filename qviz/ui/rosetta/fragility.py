"""How many codes would flip under a slightly different arithmetic, and the tensor that tells."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import streamlit as st

from qviz.figures.numbers import integer, percent
from qviz.rosetta.answers import Answer
from qviz.rosetta.fragility import Flip, fragility
from qviz.rosetta.probe import probe
from qviz.ui.notices import plain
from qviz.ui.rosetta.asked import A, Subject, measured_on, pick
from qviz.ui.words import term

SMALL = 1e-3  # share of the elements below which a change goes unnoticed
ROW = 35


def view(subject: Subject) -> tuple[str, str]:
    """Flips of one rule, on the elements and on its probe; gives heading and caption."""
    chosen = subject.answer(pick(subject, "rosetta_a", A))
    flips = fragility(chosen, subject.x)
    if not flips or not subject.x.size:
        reason = chosen.refused or "It has no scale here."
        st.info(plain(f"{chosen.rule.title} has no codes to flip on this range. {reason}"))
        return f"{chosen.rule.title} has no codes here", f"{measured_on(subject)}."
    own = probe((chosen,))
    told = fragility(chosen, own)
    _table(flips, told, own.size)
    _probe(subject, chosen, own)
    counted = "" if subject.exact else "Counted on evenly spaced values. "
    said = f"{counted}{measured_on(subject)}. Each line changes one thing and nothing else."
    return _heading(chosen, flips, typed=subject.typed), said[:1].upper() + said[1:]


def _heading(chosen: Answer, flips: tuple[Flip, ...], *, typed: bool) -> str:
    rounding = [flip for flip in flips if not flip.name.startswith("scale in ")]
    usual = max(rounding, key=lambda flip: flip.flips)
    worst = max(flips, key=lambda flip: flip.flips)
    share = percent(worst.flips / worst.elements)
    if worst.flips == 0:
        return f"Nothing flips a code of {chosen.rule.title}: this tensor tells no rules apart"
    if typed:
        return f"{share} of the values next to a code boundary flip with {worst.name}"
    if usual.flips / usual.elements < SMALL:
        return (
            f"Other ties or a reciprocal flip {_some(usual)} of {integer(usual.elements)} codes; "
            f"the {worst.name} flips {share}"
        )
    return f"{share} of the codes flip with {worst.name}"


def _some(flip: Flip) -> str:
    return "none" if flip.flips == 0 else f"at most {integer(flip.flips)}"


def _table(flips: tuple[Flip, ...], told: tuple[Flip, ...], size: int) -> None:
    frame = pd.DataFrame(
        [
            {
                "Changed": _short(one.name),
                "Flips": one.flips,
                "Share": percent(one.flips / one.elements),
                "Probe": other.flips,
            }
            for one, other in zip(flips, told, strict=True)
        ]
    )
    st.dataframe(
        frame, hide_index=True, width="stretch", height=ROW * (len(frame) + 1) + 3,
        column_config={
            "Changed": st.column_config.TextColumn(help=term("rosetta_flips")),
            "Flips": st.column_config.NumberColumn(width=56, help="Codes that change."),
            "Share": st.column_config.TextColumn(width=66),
            "Probe": st.column_config.NumberColumn(
                width=62, help=f"Codes that change on the rule's own probe, of {size:,} values."
            ),
        },
        key="rosetta-flips", alt="Codes that flip by what is changed",
    )  # fmt: skip


def _short(name: str) -> str:
    """A change in few words: the column stands on a phone, too."""
    return name.replace("zero point added", "zero point").replace(" instead of division", "")


def _probe(subject: Subject, chosen: Answer, own: np.ndarray) -> None:
    every = probe(subject.answers)
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.caption(
        plain(
            f"A probe tensor holds the last value below and the first above every change of code: "
            f"{own.size:,} values for {chosen.rule.title}, {every.size:,} for all "
            f"{len(subject.answers)} rules. Run it through a device with the range "
            f"[{subject.lo!r}, {subject.hi!r}], then ask Which rule?"
        )
    )
    with right.container(horizontal=True, horizontal_alignment="right"):
        for label, values, name in (
            ("Probe of this rule", own, "probe.npy"),
            ("Probe of all rules", every, "probe_all.npy"),
        ):
            st.download_button(
                label, _npy(values), name, "application/octet-stream", icon=":material/download:",
                key=f"rosetta-{name}", help=term("rosetta_probe"),
            )  # fmt: skip


def _npy(values: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()
