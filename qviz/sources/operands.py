"""Samples that go with another one: what it is multiplied with."""

from __future__ import annotations

import numpy as np

from qviz.sources.distributions import normal, scattered
from qviz.sources.synthetic import generator


@generator(
    "loud_channel_weight",
    title="Weight of the loud channel",
    shape=(64, 32),
    role="weight",
    about="What the loud channel's tensor is multiplied with: 64 inputs, 32 outputs, all alike.",
)
def _loud_channel_weight() -> np.ndarray:
    return (0.1 * scattered(normal(2048), 717)).reshape(64, 32).astype(np.float32)
