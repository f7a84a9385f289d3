"""The first ten seconds: a tensor whose SQNR looks fine while most of its channels are gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from qviz.figures.channel_dots import dots
from qviz.figures.channels import heatmap
from qviz.figures.numbers import decibels, integer
from qviz.observers.absmax import AbsMaxObserver
from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.channel_map import channel_map
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec
from qviz.stats.stream import Stream
from qviz.transforms.base import TRANSFORMS, Operand
from qviz.transforms.trials import Unchanged, trial
from qviz.ui.choice import Choice
from qviz.ui.lessons.tensors import next_weight
from qviz.ui.notices import palette, plain, plot

FIRST = "teaching::outlier_channel"
SETTINGS = {"tensor": "Per tensor", "token": "Per token", "moved": "Moved factor"}
RULES = {"token": "per_token", "moved": "moved_factor"}
AXIS, HEIGHT = 1, 300


@dataclass(frozen=True, eq=False)
class Told:
    """One setting of the switch: channels of the tensor, and SQNR of it and of the product."""

    channels: ChannelMap
    sqnr: float
    output: float


def show(choice: Choice, head: Any) -> None:
    """The finding as headline, one switch, the channels in small."""
    setting = st.segmented_control(
        "One step", list(SETTINGS), default="tensor", format_func=SETTINGS.__getitem__,
        key="home_step", bind="query-params", required=True, label_visibility="collapsed",
    )  # fmt: skip
    bits = choice.target.spec.bits
    told = {name: _told(choice.item.array(), bits, name) for name in SETTINGS}
    title = _heading(told, setting)
    head.markdown(f"### {plain(title)}")
    head.caption(plain(_caption(choice, told, bits)))
    left, right = st.columns([7, 3], gap="small")
    with left:
        made = heatmap(told[setting].channels, palette(), height=HEIGHT)
        plot(made, "home-map", f"Channels against values. {title}")
    with right:
        marks = dots(told[setting].channels, palette(), height=HEIGHT)
        plot(marks, "home-dots", "SQNR of each channel")


def _heading(told: dict[str, Told], setting: str) -> str:
    now, before = told[setting], told["tensor"]
    found = now.channels
    if setting == "tensor":
        many = f"{int((~found.loud).sum())} of {found.channels} channels"
        if found.quiet_codes == 1:
            return f"One loud channel sets the step at {decibels(now.sqnr)}: {many} become 0"
        return f"{decibels(now.sqnr)} looks fine, yet {many} share {found.quiet_codes} codes"
    gain = decibels(round(now.output, 1) - round(before.output, 1))  # of the printed numbers
    if setting == "token":
        return f"One step for each token: the quiet channels are back, the output gains {gain}"
    return f"The loud factor moved into the weight: one step again, and the output gains {gain}"


def _caption(choice: Choice, told: dict[str, Told], bits: int) -> str:
    output = ", ".join(f"{SETTINGS[n].lower()} {decibels(t.output)}" for n, t in told.items())
    shape = " × ".join(integer(extent) for extent in choice.item.info.shape)
    return (
        f"What quantization does to an activation, {shape}, symmetric {bits}-bit. SQNR of the "
        f"layer's output: {output}. Blue: each channel's bounds; what lies in the orange band "
        "becomes 0. All numbers are exact."
    )


@st.cache_resource(show_spinner=False, max_entries=48)
def _told(_x: np.ndarray, bits: int, setting: str) -> Told:
    """The tensor is a bundled sample, always the same: bits and setting tell its results apart."""
    spec = QuantSpec(bits, signed=True, symmetric=True, narrow_range=True)
    observer, target = AbsMaxObserver(), Target.of(spec)
    rule = TRANSFORMS.make(RULES[setting]) if setting in RULES else Unchanged()
    made = trial(Operand(_x, AXIS), rule, observer, target, Operand(next_weight(), 0))
    granularity = Granularity("per_token") if setting == "token" else PER_TENSOR
    shared = Target(spec, granularity, target.mode)
    found = channel_map(Stream.of(made.changed, granularity), AXIS, observer, shared)
    return Told(found, made.sqnr, float(made.output or np.nan))
