"""The two modes of FakeQuantWithMinMaxObserver: what each does with its ranges."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from qviz.dialects.mindspore.default import default_quantizer
from qviz.dialects.mindspore.errors import MindSporeValueError
from qviz.dialects.mindspore.learned import LearnedQuantizer
from qviz.dialects.mindspore.reading import Pair
from qviz.dialects.mindspore.settings import Settings, check_default, check_learned
from qviz.dialects.mindspore.updating import averaged, extremes, last_batch
from qviz.errors import QvizError
from qviz.quantizers.base import Quantizer
from qviz.spec import QuantSpec
from qviz.stats.base import NOTHING
from qviz.stats.minmax import MinMax
from qviz.xp import Array


class Rule(ABC):
    """One mode. Ranges are (minq, maxq), each (groups,) of the working type."""

    @abstractmethod
    def check(self, settings: Settings, bits: int) -> None:
        """Refuse what the mode's operators refuse."""

    @abstractmethod
    def start(self, settings: Settings, ends: Pair) -> Pair:
        """The range before any data."""

    @abstractmethod
    def top(self, settings: Settings, bits: int) -> int | None:
        """quant_max, where the mode keeps it as a parameter."""

    @abstractmethod
    def update(self, settings: Settings, running: Pair, rows: Array) -> Pair:
        """The range after a training call on ``rows``."""

    @abstractmethod
    def quantizer(self, settings: Settings, bits: int, running: Pair) -> Quantizer:
        """Qparams of the range."""

    @abstractmethod
    def registered(self, settings: Settings, bits: int, running: Pair) -> Quantizer | None:
        """Qparams of the gradient as the framework registers it; None where there is none."""

    @abstractmethod
    def export(self, settings: Settings, bits: int, running: Pair) -> Pair:
        """Scale and zero point for deployment."""


class Default(Rule):
    """The range follows the data."""

    def check(self, settings: Settings, bits: int) -> None:
        check_default(settings, bits)

    def start(self, settings: Settings, ends: Pair) -> Pair:
        return ends

    def top(self, settings: Settings, bits: int) -> int | None:
        return None

    def update(self, settings: Settings, running: Pair, rows: Array) -> Pair:
        if rows.shape[1] == 0:
            raise QvizError("An empty tensor has no minimum and maximum.", "", "Leave it out.")
        batch = extremes(MinMax().of(rows, NOTHING), settings.kind)
        if settings.ema:
            return averaged(settings.reading, settings.ema_decay, running, batch)
        return last_batch(batch)

    def quantizer(self, settings: Settings, bits: int, running: Pair) -> Quantizer:
        return self._made(settings, bits, running, (settings.symmetric, settings.narrow_range))

    def registered(self, settings: Settings, bits: int, running: Pair) -> Quantizer | None:
        kept = settings.reading.registered(bool(settings.per_channel), settings.symmetric)
        return None if kept is None else self._made(settings, bits, running, kept)

    def export(self, settings: Settings, bits: int, running: Pair) -> Pair:
        lo, hi = (np.float64(end) for end in running)
        first, last = int(settings.narrow_range) - 2 ** (bits - 1), 2 ** (bits - 1) - 1
        if (lo == hi).all():
            return np.ones(lo.shape), np.zeros(lo.shape, np.int32)
        if settings.symmetric:
            hi = np.maximum(-lo, hi)
            lo = -hi
        scale = (hi - lo) / (last - first)
        if not (np.isfinite(scale) & (scale > 0)).all():
            raise QvizError(
                "A channel cannot be exported: its scale is 0 or not finite.",
                "It has seen zeros only, or elements that are not finite.",
                "Show the channel other data.",
            )
        zero = np.zeros(lo.shape) if settings.symmetric else np.rint(first - lo / scale)
        return scale, zero.astype(np.int32)

    def _made(
        self, settings: Settings, bits: int, running: Pair, symmetric_narrow: tuple[bool, bool]
    ) -> Quantizer:
        symmetric, narrow = symmetric_narrow
        spec = QuantSpec(bits, symmetric=symmetric, narrow_range=narrow)
        return default_quantizer(settings.reading, *running, spec, bool(settings.per_channel))


class LearnedScale(Rule):
    """maxq is trained; minq follows it."""

    def check(self, settings: Settings, bits: int) -> None:
        check_learned(settings, bits)

    def start(self, settings: Settings, ends: Pair) -> Pair:
        return (np.zeros_like(ends[0]) if settings.neg_trunc else ends[0]), ends[1]

    def top(self, settings: Settings, bits: int) -> int:
        return settings.reading.top(bits, bool(settings.neg_trunc))

    def update(self, settings: Settings, running: Pair, rows: Array) -> Pair:
        return (running[0] if settings.neg_trunc else -running[1]), running[1]

    def quantizer(self, settings: Settings, bits: int, running: Pair) -> Quantizer:
        top = self.top(settings, bits)
        return LearnedQuantizer(running[1], top, bool(settings.neg_trunc), settings.reading)

    def registered(self, settings: Settings, bits: int, running: Pair) -> Quantizer | None:
        if settings.reading.registered(bool(settings.per_channel), True) is None:
            return None
        return self.quantizer(settings, bits, running)

    def export(self, settings: Settings, bits: int, running: Pair) -> Pair:
        scale = running[1] / self.top(settings, bits)
        return scale, np.zeros(scale.shape, np.int32)


RULES: dict[str, Rule] = {"DEFAULT": Default(), "LEARNED_SCALE": LearnedScale()}


def rule_of(mode: object) -> Rule:
    """The rule of a mode's name. Raises MindSporeValueError."""
    if not isinstance(mode, str) or mode not in RULES:
        raise MindSporeValueError(f"No mode is {mode!r}.", f"Known: {', '.join(RULES)}.")
    return RULES[mode]
