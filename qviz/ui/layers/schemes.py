"""One scheme for all weights and one for all activations: their controls, and their words."""

from __future__ import annotations

import streamlit as st

from qviz.models.scheme import OWN, Scheme, Schemes
from qviz.observers.base import OBSERVERS
from qviz.pipeline.judging import refusal
from qviz.quantizers.base import QUANTIZERS, Mode
from qviz.registry import knobs_of
from qviz.spec import QuantSpec
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

BITS = (2, 3, 4, 6, 8)
SHARED = "per_tensor"
PLAIN = "affine"  # the mode that goes without saying
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
    """``activations 4 bits per tensor, weights 8 per channel``."""
    return f"activations {_words(schemes.activations, ' bits')}, weights {_words(schemes.weights)}"


def _words(scheme: Scheme, unit: str = "") -> str:
    words = f"{scheme.spec.bits}{unit} {scheme.granularity.replace('_', ' ')}"
    name = QUANTIZERS.name_of(scheme.mode)
    return words if name == PLAIN else f"{words} {QUANTIZERS.entry(name).title}"
