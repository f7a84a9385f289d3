"""Which codes and granularities MindSpore has, with the reasons why others are refused."""

from __future__ import annotations

from qviz.dialects.mindspore.reading import Reading
from qviz.spec import Granularity, QuantSpec

BITS = (4, 7, 8)  # of the DEFAULT operators
ASCEND_LAST_AXIS = 1


def codes_refusal(spec: QuantSpec) -> str | None:
    """Why no QuantDtype has these codes, or None; ``signed`` may be either."""
    if spec.reduce_range or spec.quant_min is not None:
        return "MindSpore has no reduce_range and no codes of one's own"
    return None


def channels_refusal(reading: Reading, granularity: Granularity) -> str | None:
    """Why MindSpore shares no range in this way, or None."""
    if granularity.kind == "per_tensor":
        return None
    if granularity.kind != "per_channel":
        return "MindSpore has one range per layer or per channel"
    if granularity.axis < 0:
        return "MindSpore's channel_axis is never below 0"
    if reading.axis(granularity.axis) != granularity.axis:
        return "MindSpore's CUDA kernels take axis 0 for the channels, whatever channel_axis says"
    if reading.name == "ascend" and granularity.axis > ASCEND_LAST_AXIS:
        return "MindSpore's channel_axis is 0 or 1 on Ascend"
    return None
