"""One scheme for all weights and one for all activations: their controls, and their words."""

from __future__ import annotations

from typing import Any

import streamlit as st

from qviz.models.scheme import OWN, Scheme, Schemes
from qviz.observers.base import OBSERVERS
from qviz.pipeline.judging import refusal
from qviz.quantizers.base import QUANTIZERS, Mode
from qviz.registry import Registry, knobs_of
from qviz.spec import QuantSpec
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

BITS = (2, 3, 4, 6, 8, 16)
SHARED = "per_tensor"
WORDS = {  # of a switch that is off, and on
    "signed": ("unsigned", "signed"),
    "symmetric": ("affine", "symmetric"),
    "narrow_range": ("full range", "narrow range"),
}
SIGNS = {"signed": "Signed", "symmetric": "Symmetric", "narrow_range": "Narrow range"}
SIDES = {"weights": "Weights", "activations": "Activations"}


def chosen() -> Schemes:
    """The controls of both schemes; gives what they say."""
    usual = Schemes.usual()
    made = (_scheme(side, getattr(usual, side)) for side in SIDES)
    return Schemes(*made)


def _scheme(side: str, usual: Scheme) -> Scheme:
    key = f"layers_{side}"
    bits = st.segmented_control(
        f"{SIDES[side]}, bits", BITS, default=usual.spec.bits, key=f"{key}_bits",
        help=term(key), bind="query-params", required=True, width="stretch",
    )  # fmt: skip
    with st.popover(f"More about {side}", icon=":material/tune:", width="stretch"):
        return _more(side, key, usual, bits)


def _more(side: str, key: str, usual: Scheme, bits: int) -> Scheme:
    per = st.selectbox(
        f"Range of {side}", (SHARED, OWN), index=int(usual.granularity == OWN), key=f"{key}_per",
        format_func=lambda g: g.replace("_", " "), help=term(f"{key}_per"), bind="query-params",
    )  # fmt: skip
    with st.container(horizontal=True):
        signs = {
            name: st.toggle(
                label, getattr(usual.spec, name), key=f"{key}_{name}", help=term(name),
                bind="query-params",
            )
            for name, label in SIGNS.items()
        }  # fmt: skip
    rules = list(OBSERVERS)
    name = st.selectbox(
        f"Observer of {side}", rules, index=rules.index(OBSERVERS.spell(usual.observer)),
        format_func=lambda n: OBSERVERS.entry(n).title, key=f"{key}_observer",
        help=term("observer"), bind="query-params",
    )  # fmt: skip
    observer = knob_widgets(OBSERVERS[name](), f"{key}_knob-{name}")
    return Scheme(observer, QuantSpec(bits, **signs), _mode(side, key, usual), per)


def _mode(side: str, key: str, usual: Scheme) -> Mode:
    names = list(QUANTIZERS)
    name = st.selectbox(
        f"Mode of {side}", names, index=names.index(QUANTIZERS.name_of(usual.mode)),
        format_func=lambda n: QUANTIZERS.entry(n).title, key=f"{key}_mode", help=term("mode"),
        bind="query-params",
    )  # fmt: skip
    made = QUANTIZERS[name]()
    return knob_widgets(made, f"{key}_mode_knob-{name}") if knobs_of(made) else made


def refused(schemes: Schemes) -> list[str]:
    """Why a scheme serves no tensor, one sentence for each side that does not."""
    told = []
    for side, name in SIDES.items():
        scheme: Scheme = getattr(schemes, side)
        reason = refusal(scheme.observer, scheme.target(0 if scheme.granularity == OWN else None))
        told += [f"{name} are not quantized: {reason}."] if reason else []
    return told


def in_short(schemes: Schemes) -> str:
    """``activations 4 bits per tensor, weights 8 unsigned per channel (MSE search)``.

    What is as usual goes without saying, all else is named: no two schemes read alike.
    """
    usual = Schemes.usual()
    first = _words(schemes.activations, usual.activations, " bits")
    return f"activations {first}, weights {_words(schemes.weights, usual.weights)}"


def _words(scheme: Scheme, usual: Scheme, unit: str = "") -> str:
    spec = scheme.spec
    words = [f"{spec.bits}{unit}"]
    words += [
        WORDS[name][getattr(spec, name)]
        for name in WORDS
        if getattr(spec, name) != getattr(usual.spec, name)
    ]
    words.append(scheme.granularity.replace("_", " "))
    if scheme.mode != usual.mode:
        words.append(_title(QUANTIZERS, scheme.mode))
    if scheme.observer != usual.observer:
        words.append(f"({_title(OBSERVERS, scheme.observer)})")
    return " ".join(words)


def _title(registry: Registry, member: Any) -> str:
    """Title and all knobs that are not as they come."""
    title = registry.entry(registry.name_of(member)).title
    knobs = registry.spell(member).partition(":")[2].replace("=", " ").replace(",", ", ")
    return f"{title} {knobs}".strip()
