"""The app's current choice: tensor, codes, granularity, mode. Every page reads it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Role
from qviz.stats.stream import Stream
from qviz.ui.library import Item


@dataclass(frozen=True, eq=False)
class Choice:
    """What is looked at, and under which codes."""

    item: Item
    target: Target
    batch_axis: int | None
    role: str
    upto: int | None = None

    @property
    def key(self) -> tuple[str, str, int | None, int | None]:
        """Stands for the stream in caches: content, granularity, batches."""
        granularity = str(self.target.granularity)
        return self.item.info.fingerprint, granularity, self.batch_axis, self.upto

    @property
    def batches(self) -> int:
        """Number of batches in all."""
        return 1 if self.batch_axis is None else self.item.info.shape[self.batch_axis]

    @property
    def about(self) -> str:
        """The tensor in words: its label and shape."""
        return f"{self.item.label}, {shape_words(self.item.info.shape)}"

    def stream(self) -> Stream:
        """The tensor's batches under the chosen granularity, the first ``upto`` of them."""
        stream = Stream.of(self.item.array(), self.target.granularity, self.batch_axis)
        return Stream(stream.batches[: self.upto], self.target.granularity)

    @property
    def channel_axis(self) -> int | None:
        """The axis along which channels are judged; None without channels."""
        if self.target.granularity.kind == "per_channel":
            return self.target.granularity.axis
        return channel_axis(len(self.item.info.shape), self.role)

    @property
    def scheme(self) -> str:
        """The codes in words: ``8-bit affine``."""
        spec = self.target.spec
        words = [f"{spec.bits}-bit", "signed" if spec.signed else "unsigned"]
        if spec.quant_min is not None:
            words = ["codes {:,} to {:,}".format(*spec.ends)]
        words.append("symmetric" if spec.symmetric else "affine")
        words += ["narrow range"] * spec.narrow_range + ["reduced range"] * spec.reduce_range
        if self.target.granularity.kind != "per_tensor":
            words.append(str(self.target.granularity).replace("_", " "))
        return " ".join(words)


def channel_axis(rank: int, role: str) -> int | None:
    """Where channels lie by custom: 0 in weights, 1 in images, last in other activations."""
    if rank < 2:
        return None
    return (1 if rank == 4 else rank - 1) if role == Role.ACTIVATION else 0


def chosen_target(shape: tuple[int, ...]) -> Target:
    """Target from the widgets' state; an axis that the tensor lacks falls back to the first."""
    state = st.session_state
    spec = QuantSpec(
        state.get("bits") or 8,
        signed=state.get("signed", False),
        symmetric=state.get("symmetric", False),
        narrow_range=state.get("narrow_range", False),
        reduce_range=state.get("reduce_range", False),
        quant_min=state.get("quant_min", 0) if state.get("custom") else None,
        quant_max=state.get("quant_max", 255) if state.get("custom") else None,
    )
    mode = QUANTIZERS.make(state.get("mode_spelling") or "affine")
    return Target(spec, chosen_granularity(shape), mode)


def chosen_granularity(shape: tuple[int, ...]) -> Granularity:
    """Granularity from the widgets' state."""
    kind = st.session_state.get("granularity", "per_tensor")
    axis = st.session_state.get("axis", 0)
    if len(shape) < 1 or kind == "per_tensor":
        return Granularity()
    if kind == "per_channel":
        return Granularity(kind, axis if axis < len(shape) else 0)
    if kind == "per_token":
        return Granularity(kind)
    return Granularity("per_group", -1, int(kind.removeprefix("group_")))


def shape_words(shape: tuple[int, ...]) -> str:
    """``64 × 3 × 7 × 7``; a single value has no axes."""
    return " × ".join(f"{extent:,}" for extent in shape) if shape else "a single value"
