"""One layer at a time: what reaches the output when only this one is quantized."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import streamlit as st

from qviz.figures.layers_alone import layers_alone, shown_rows
from qviz.figures.layers_words import alone_caption, alone_heading
from qviz.models.alone import Sensitivity, start
from qviz.models.limits import Limits
from qviz.models.scheme import OWN, Scheme, Schemes
from qviz.ui.files import new_folder
from qviz.ui.layers import tried
from qviz.ui.layers.alone_table import alone_table
from qviz.ui.layers.budget import estimate, seconds_field, usual_seconds
from qviz.ui.layers.picked import chosen, chosen_name, picker
from qviz.ui.layers.schemes import in_short
from qviz.ui.layers.subject import Subject
from qviz.ui.layers.working import at_work, begin, given_up
from qviz.ui.notices import palette, plain, plot
from qviz.ui.words import term

FOUND, BESIDE = "layers_alone_found", "layers_beside"
ASK = "Run the model once for each layer, with only that one quantized."
NO_MODEL = (
    "The cost of one layer at the output needs a model that runs: open an ONNX model and "
    "run it, or choose a bundled network."
)


def known(found: Subject, schemes: Schemes) -> Sensitivity | None:
    """What was found of all tensors of the subject under the schemes in this session."""
    cost = _kept().get(_key(found, schemes))
    return None if cost is None or cost.why else cost


def begin_for_samples(found: Subject, schemes: Schemes) -> None:
    """Bundled networks are small: each layer is run alone without being asked."""
    if found.sample:
        _begin(found, schemes)


def controls(found: Subject | None) -> bool:
    """Whether the same with a step for each channel stands beside it."""
    if found is not None and found.run is None:
        return False
    return st.toggle(
        "Beside it: every tensor per channel", key=BESIDE, help=term(BESIDE), bind="query-params"
    )


def view(found: Subject, schemes: Schemes, both: bool) -> tuple[str, str]:
    """Draw it, or offer to run it; gives heading and caption."""
    about = f"{found.title}: {in_short(schemes)}."
    if found.run is None:
        st.info(NO_MODEL, icon=":material/play_circle:")
        return "What one layer costs shows at the output", about
    cost = _kept().get(_key(found, schemes))
    if cost is None:
        waiting(found)
        _offer(found, schemes)
        return "What does each layer cost alone?", f"{about} {ASK}"
    if cost.why:
        st.info(plain(f"{_reached(cost)} {cost.why}"), icon=":material/timer_off:")
        _offer(found, schemes)
    beside = _beside(found, schemes) if both else None
    title, named = alone_heading(cost, beside), picker(found, schemes)
    chosen(found, schemes)
    with st.container(key="wide-layers-alone"):
        picture = layers_alone(cost, beside, palette(), chosen_name(found))
        plot(picture, "layers-alone", title, named)
    with st.container(key="narrow-layers-alone"):
        alone_table(cost, named, beside)
    _remarks(cost)
    tried.lines(found.name, cost, list(found.source.infos))
    return (f"So far: {title}" if cost.why else title), alone_caption(cost, about)


def per_channel(schemes: Schemes) -> Schemes:
    """The same with a step for each channel."""
    return Schemes(
        replace(schemes.weights, granularity=OWN), replace(schemes.activations, granularity=OWN)
    )


def waiting(found: Subject) -> None:
    """Under which other schemes something of the subject was found last, if there is anything."""
    keys = [key for key, cost in _kept().items() if key[1] == found.name and not cost.why]
    if keys:
        made = Schemes(*(Scheme.parse(text) for text in keys[-1][2:]))
        st.caption(plain(f"A result waits under other schemes: {in_short(made)}."))


def _kept() -> dict[tuple[str, ...], Sensitivity]:
    return st.session_state.setdefault(FOUND, {})


def _key(found: Subject, schemes: Schemes) -> tuple[str, ...]:
    return "alone", found.name, str(schemes.weights), str(schemes.activations)


def _begin(found: Subject, schemes: Schemes, *, asked: bool = False) -> None:
    key, working, run = _key(found, schemes), at_work(), found.run
    busy = working is not None and (working.key == key or working.key[0] != key[0])
    if run is None or busy or (not asked and (key in given_up() or key in _kept())):
        return
    usual = usual_seconds(estimate(found))
    limits = Limits(seconds=float(st.session_state.get(_seconds(found)) or usual))
    begin(
        key,
        f"Each layer of {found.title} alone, {in_short(schemes)}",
        lambda: start(run.model, run.feeds, schemes, new_folder(), limits, found.title),
        partial(_kept().__setitem__, key),
    )


def _seconds(found: Subject) -> str:
    return f"layers_alone_seconds-{found.name}"


def _offer(found: Subject, schemes: Schemes) -> None:
    """The button that runs them, how long that may take, and about how long it will."""
    if at_work() is not None:
        return
    about = estimate(found)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            "Run each layer alone", key="layers_run_alone", icon=":material/play_arrow:",
            type="primary", on_click=partial(_begin, found, schemes, asked=True),
        )  # fmt: skip
        seconds_field(_seconds(found), usual_seconds(about))
    if about is not None:
        st.caption(f"It takes about {math.ceil(about)} s.")


def _beside(found: Subject, schemes: Schemes) -> Sensitivity | None:
    """What a step for each channel would give; it is begun where nothing else is at work."""
    other = per_channel(schemes)
    cost = _kept().get(_key(found, other))
    if cost is None and other != schemes and at_work() is None:
        _begin(found, other)
        if at_work() is not None:
            st.rerun()  # its progress stands above
    return cost


def _reached(cost: Sensitivity) -> str:
    return f"{cost.tried} of {len(cost.rows)} tensors were tried, far from each other first."


def _remarks(cost: Sensitivity) -> None:
    left_out = sum(1 for row in cost.rows if row.note and row.reached)
    hidden = sum(1 for row in cost.rows if not row.note) - len(shown_rows(cost))
    if hidden:
        st.caption(f"The {len(shown_rows(cost))} that cost most; {hidden} more cost less.")
    if left_out:
        st.caption(f"{left_out} tensors could not be quantized.")
    if cost.unjudged:
        st.caption(plain(f"No accuracy: {cost.unjudged}"))
