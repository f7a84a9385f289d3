"""FakeQuantWithMinMaxObserver in training: its learned maximum, and its range batch by batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qviz.dialects.mindspore.dialect import ASCEND, DOCUMENT, GPU
from qviz.dialects.mindspore.door import FakeQuantWithMinMaxObserver
from qviz.dialects.mindspore.learned import LearnedQuantizer
from qviz.dialects.mindspore.quant_dtype import QuantDtype
from qviz.dialects.mindspore.reading import Reading
from qviz.dialects.mindspore.readings import READINGS
from qviz.dialects.mindspore.targets import BITS, codes_refusal
from qviz.errors import QvizError
from qviz.quantizers.base import Quantizer
from qviz.quantizers.stateful import (
    LEARNERS,
    STATEFUL,
    After,
    Export,
    Learner,
    Machine,
    Spread,
    Stateful,
)
from qviz.registry import Source, knob
from qviz.spec import QuantSpec
from qviz.xp import Array

START = "maxq before the first step"
EMA = "average over batches; off: the last batch alone"
DECAY = "share that documentation and Ascend leave to the running range, CUDA gives to the batch"
INITIAL = "an end before the first training batch, in input units"
DELAY = "training batches handed through before any is quantized"


class MaximumLearner(Learner):
    """LEARNED_SCALE: maxq itself is learned, so that its gradient is that of the clip."""

    parameter: ClassVar[str] = "maxq"
    reading: ClassVar[Reading]
    max_init: float

    def accepts(self, spec: QuantSpec) -> str | None:
        return codes_refusal(spec)

    def quantizer(self, value: float, spec: QuantSpec) -> Quantizer:
        neg_trunc = not spec.narrow_range
        top = self.reading.top(spec.bits, neg_trunc)
        return LearnedQuantizer(np.full(1, value, np.float32), top, neg_trunc, self.reading)

    def largest(self, spec: QuantSpec) -> int:
        return 1

    def start(self, spread: Spread, spec: QuantSpec) -> float:
        return self.max_init


@LEARNERS.register("mindspore.learned_scale@doc", title="MS learned doc", source=DOCUMENT)
@dataclass(frozen=True)
class LearnedDoc(MaximumLearner):
    """The documented gradient of maxq, which forgets the number of steps; starts at max_init."""

    max_init: float = knob(6.0, low=1e-6, high=1e6, help=START)
    reading: ClassVar[Reading] = READINGS["doc"]


@LEARNERS.register("mindspore.learned_scale@gpu", title="MS learned gpu", source=GPU)
@dataclass(frozen=True)
class LearnedGpu(MaximumLearner):
    """The CUDA kernels' gradient of maxq; starts at max_init."""

    max_init: float = knob(6.0, low=1e-6, high=1e6, help=START)
    reading: ClassVar[Reading] = READINGS["gpu"]


@LEARNERS.register("mindspore.learned_scale@ascend", title="MS learned ascend", source=ASCEND)
@dataclass(frozen=True)
class LearnedAscend(MaximumLearner):
    """The Ascend graphs' gradient of maxq; starts at max_init."""

    max_init: float = knob(6.0, low=1e-6, high=1e6, help=START)
    reading: ClassVar[Reading] = READINGS["ascend"]


class ObserverMachine(Machine):
    """A FakeQuantWithMinMaxObserver."""

    def __init__(self, made: FakeQuantWithMinMaxObserver, delay: int) -> None:
        self._made, self._delay = made, delay

    def train(self, training: bool) -> None:
        self._made.set_train(training)

    def step(self, batch: Array) -> After:
        self._made(batch)
        made = self._made
        delayed = made.training and self._delay > 0
        self._delay -= delayed
        lo, hi = float(made.minq[0]), float(made.maxq[0])
        used = None if delayed else made.quantizer()
        try:
            scale, zero = (float(v[0]) for v in made.export())
        except QvizError as error:
            return After(lo, hi, used, None, str(error))
        return After(lo, hi, used, Export(scale, int(zero)))

    def reset(self) -> str:
        try:
            self._made.reset(self._made.quant_dtype)
        except QvizError as error:
            return f"reset() is refused: {error}"
        return f"reset() sets maxq to {float(self._made.maxq[0]):g} again."


@dataclass(frozen=True)
class Observed(Stateful):
    """DEFAULT: evaluation keeps [min_init, max_init]; training follows the batches."""

    reading: ClassVar[Reading]
    ema: bool = knob(False, help=EMA)
    ema_decay: float = knob(0.999, low=0.001, high=1.0, help=DECAY)
    min_init: float = knob(-6.0, low=-1e6, high=1e6, help=INITIAL)
    max_init: float = knob(6.0, low=-1e6, high=1e6, help=INITIAL)
    quant_delay: int = knob(0, low=0, high=1000, help=DELAY)

    def accepts(self, spec: QuantSpec) -> str | None:
        fewer = "MindSpore's DEFAULT mode has 4, 7 and 8 bits only"
        return codes_refusal(spec) if spec.bits in BITS else fewer

    def machine(self, spec: QuantSpec) -> Machine:
        delay = self.quant_delay if self.reading.delays else 0
        made = FakeQuantWithMinMaxObserver(
            *(self.min_init, self.max_init, self.ema, self.ema_decay),
            quant_dtype=dtype_of(spec),
            symmetric=spec.symmetric,
            narrow_range=spec.narrow_range,
            quant_delay=delay,
            reading=self.reading.name,
        )
        return ObserverMachine(made, delay)

    def start_share(self, batches: int) -> float | None:
        if not self.ema:
            return None
        return float(self.reading.shares(self.ema_decay, "float64")[1]) ** batches


def listed(reading: str, source: Source) -> dict[str, Any]:
    """Title, source and list entries: as it comes, and with the moving average."""
    presets = {f"mindspore.default@{reading}": {}, f"MS EMA {reading}": {"ema": True}}
    return {"title": f"MS default {reading}", "source": source, "presets": presets}


def dtype_of(spec: QuantSpec) -> QuantDtype:
    """INT8 and the like."""
    return QuantDtype[f"{'INT' if spec.signed else 'UINT'}{spec.bits}"]


@STATEFUL.register("mindspore.default@doc", **listed("doc", DOCUMENT))
@dataclass(frozen=True)
class ObservedDoc(Observed):
    """The documented update: the batch weighs 1 - ema_decay, or all without ema."""

    reading: ClassVar[Reading] = READINGS["doc"]


@STATEFUL.register("mindspore.default@gpu", **listed("gpu", GPU))
@dataclass(frozen=True)
class ObservedGpu(Observed):
    """The CUDA kernels' update: with ema the batch weighs ema_decay, the past the rest."""

    reading: ClassVar[Reading] = READINGS["gpu"]


@STATEFUL.register("mindspore.default@ascend", **listed("ascend", ASCEND))
@dataclass(frozen=True)
class ObservedAscend(Observed):
    """The Ascend graphs' update, as documented; quant_delay is not heeded."""

    reading: ClassVar[Reading] = READINGS["ascend"]
