"""One scheme for all weights and one for all activations: their controls, and their words."""

from __future__ import annotations

import streamlit as st

from qviz.models.scheme import OWN, Scheme, Schemes
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

BITS = (2, 3, 4, 6, 8)
SHARED = "per_tensor"
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
        signed = st.toggle(
            "Signed", usual.spec.signed, key=f"{key}_signed", help=term("signed"),
            bind="query-params",
        )  # fmt: skip
        symmetric = st.toggle(
            "Symmetric", usual.spec.symmetric, key=f"{key}_symmetric", help=term("symmetric"),
            bind="query-params",
        )  # fmt: skip
    rules = list(OBSERVERS)
    name = st.selectbox(
        f"Observer of {side}", rules, index=rules.index(OBSERVERS.spell(usual.observer)),
        format_func=lambda n: OBSERVERS.entry(n).title, key=f"{key}_observer",
        help=term("observer"), bind="query-params",
    )  # fmt: skip
    observer = knob_widgets(OBSERVERS[name](), f"{key}_knob-{name}")
    spec = QuantSpec(bits, signed=signed, symmetric=symmetric)
    return Scheme(observer, spec, QUANTIZERS.make("affine"), per)


def in_short(schemes: Schemes) -> str:
    """``activations 4 bits per tensor, weights 8 bits per channel``."""
    pairs = (("activations", schemes.activations), ("weights", schemes.weights))
    return ", ".join(
        f"{side} {scheme.spec.bits} bits {scheme.granularity.replace('_', ' ')}"
        for side, scheme in pairs
    )
