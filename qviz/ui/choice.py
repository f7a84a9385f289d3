"""The app's current choice: tensor, codes, granularity, mode. Every page reads it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from qviz.quantizers.base import QUANTIZERS, Target
from qviz.sources.base import TensorInfo
from qviz.spec import Granularity, QuantSpec, Role
from qviz.stats.stream import Stream
from qviz.ui.device import HOST, Device, copied, place
from qviz.ui.library import Item


@dataclass(frozen=True, eq=False)
class Choice:
    """What is looked at, and under which codes."""

    item: Item
    target: Target
    batch_axis: int | None
    role: str
    upto: int | None = None
    device: Device = HOST

    @property
    def place(self) -> Device:
        """Where it is counted: the chosen device, the processor where that failed."""
        return place(self.item, self.device)

    @property
    def key(self) -> tuple[str, str, int | None, int | None]:
        """Stands for the stream in caches: content and place, granularity, batches."""
        content, granularity = self.item.info.fingerprint, str(self.target.granularity)
        content += "" if self.place == HOST else f"@{self.place.key}"
        return content, granularity, self.batch_axis, self.upto

    @property
    def batches(self) -> int:
        """Number of batches in all."""
        info = self.item.info
        return max(1, len(info.splits)) if self.batch_axis is None else info.shape[self.batch_axis]

    @property
    def about(self) -> str:
        """The tensor in words: its label and shape, and the device that counted it."""
        where = "" if self.place == HOST else f", counted on {self.place.title}"
        return f"{self.item.label}, {shape_words(self.item.info.shape)}{where}"

    def stream(self, device: Device = HOST) -> Stream:
        """The tensor's batches under the chosen granularity, the first ``upto`` of them."""
        x = self.item.array() if device == HOST else copied(self.item, device)
        x = self.item.info.batched(x) if self.batch_axis is None else x
        stream = Stream.of(x, self.target.granularity, self.batch_axis)
        return Stream(stream.batches[: self.upto], self.target.granularity)

    @property
    def channel_axis(self) -> int | None:
        """The axis of a batch along which channels are judged; None without channels."""
        if self.target.granularity.kind == "per_channel":
            return self.target.granularity.axis
        axis = channel_axis(len(self.item.info.shape), self.role)
        return in_a_batch(axis, self.batch_axis)

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


def in_a_batch(axis: int | None, batch_axis: int | None) -> int | None:
    """An axis of the whole tensor counted in a batch, which lacks the batch axis."""
    if axis is None or axis == batch_axis:
        return None
    return axis if batch_axis is None or axis < batch_axis else axis - 1


def chosen_batch_axis(info: TensorInfo) -> int | None:
    """The batch axis as set on screen, else as the file's index says."""
    return st.session_state.get(batch_key(info), info.batch_axis)


def batch_key(info: TensorInfo) -> str:
    """Key of the widget that sets the batch axis."""
    return f"batch-{info.fingerprint}"


def axes(info: TensorInfo) -> list[int]:
    """Axes that can hold channels: all but the batch axis."""
    batch = chosen_batch_axis(info)
    return [axis for axis in range(len(info.shape)) if axis != batch]


def usual_axis(info: TensorInfo) -> int:
    """Index into ``axes`` of the usual channel axis, else of the first."""
    usual = channel_axis(len(info.shape), info.role)
    return axes(info).index(usual) if usual in axes(info) else 0


def chosen_target(info: TensorInfo) -> Target:
    """Target from the widgets' state; an axis that the tensor lacks falls back to the first.

    Raises
    ------
    QvizError
        The codes on screen are none.
    """
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
    return Target(spec, chosen_granularity(info), mode)


def chosen_granularity(info: TensorInfo) -> Granularity:
    """Granularity of a batch from the widgets' state."""
    kind = st.session_state.get("granularity", "per_tensor")
    known = axes(info)
    if not known or kind == "per_tensor" or (kind == "per_channel" and len(known) < 2):
        return Granularity()  # one axis holds no channels
    if kind == "per_channel":
        axis = st.session_state.get("axis", known[0])
        axis = axis if axis in known else known[0]
        return Granularity(kind, in_a_batch(axis, chosen_batch_axis(info)) or 0)
    if kind == "per_token":
        return Granularity(kind)
    return Granularity("per_group", -1, int(kind.removeprefix("group_")))


def shape_words(shape: tuple[int, ...]) -> str:
    """``64 × 3 × 7 × 7``; a single value has no axes."""
    return " × ".join(f"{extent:,}" for extent in shape) if shape else "a single value"
