"""Gradients of one call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.mindspore.arrays import beside, copied, returned, summed
from qviz.dialects.mindspore.settings import Settings
from qviz.quantizers.base import Grads, Quantizer
from qviz.xp import Array


@dataclass(frozen=True, eq=False)
class Gradients:
    """Gradients of one call, of the kind of its upstream gradient.

    ``dx`` has the input's shape: the mask of the forward's own limits. ``dmaxq`` (num_channels,)
    is summed in float64, and 0 in DEFAULT mode. ``dx_framework`` is what comes back from the
    gradient as MindSpore registers it, which drops attributes of the forward; None under doc.
    """

    dx: Array
    dmaxq: Array
    dx_framework: Array | None


@dataclass(frozen=True, eq=False)
class Pass:
    """One backward pass: rows of the input, of the upstream gradient, and that gradient itself."""

    rows: Array
    grad: Array
    dout: Array
    settings: Settings

    def through(self, own: Quantizer, registered: Quantizer | None) -> Gradients:
        """Gradients under the forward's qparams, and under those that were registered."""
        back = None if registered is None else registered.backward(self.rows, self.grad).input
        made = own.backward(self.rows, self.grad)
        return self._returned(made, back)

    def passed(self, registered: Quantizer | None) -> Gradients:
        """The upstream gradient itself, as long as quant_delay holds."""
        back = None if registered is None else copied(self.grad)
        return self._returned(Grads(copied(self.grad)), back)

    def _returned(self, own: Grads, back: Array | None) -> Gradients:
        dmaxq = np.zeros(self.settings.groups, self.settings.kind)
        if "maxq" in own.parameters:
            dmaxq[: self.rows.shape[0]] = summed(own.parameters["maxq"])
        dx, dx_framework = (
            part if part is None else returned(part, self.dout, self.settings)
            for part in (own.input, back)
        )
        return Gradients(dx, beside(dmaxq, self.dout), dx_framework)
