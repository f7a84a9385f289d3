"""How all weights, or all activations, of a model are quantized: one scheme for many tensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Observer
from qviz.quantizers.base import QUANTIZERS, Mode, Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec

OWN = "per_channel"  # a range for each channel, along the axis that is the tensor's own
SWITCHES = ("signed", "symmetric", "narrow_range", "reduce_range")
MODE = "mode="
BITS = "bit width"


@dataclass(frozen=True)
class Scheme:
    """An observer, codes, a mode, and which elements share a range.

    ``granularity`` is spelled as everywhere, or ``per_channel`` alone: along the channels of each
    tensor, wherever they lie; per tensor where it has none.
    """

    observer: Observer
    spec: QuantSpec = field(default_factory=QuantSpec)
    mode: Mode = field(default_factory=lambda: QUANTIZERS.make("affine"))
    granularity: str = "per_tensor"

    @staticmethod
    def parse(text: str) -> Scheme:
        """Read words such as ``absmax 4 signed symmetric per_channel mode=affine``.

        Raises
        ------
        QvizError
            A word that says nothing here, two that say the same, or no observer.
        """
        met: dict[str, str] = {}
        for word in text.split():
            about = _about(word)
            if about in met and about == "observer":
                raise QvizError(f"{word!r} says nothing in a scheme.", "", f"Words: {EXAMPLE}.")
            if about in met:
                why = f"It holds {met[about]} and {word}."
                raise QvizError(f"The scheme says its {about} twice.", why, f"Words: {EXAMPLE}.")
            met[about] = word
        if "observer" not in met:
            raise QvizError("The scheme names no observer.", "", f"Write it like {EXAMPLE}.")
        given: dict[str, Any] = {name: True for name in SWITCHES if name in met}
        given |= {"bits": int(met[BITS])} if BITS in met else {}
        observer = OBSERVERS.make(met["observer"])
        mode = QUANTIZERS.make(met.get("mode", MODE + "affine").removeprefix(MODE))
        granularity = _checked(met.get("grouping", "per_tensor"))
        return Scheme(observer, QuantSpec(**given), mode, granularity)

    def __str__(self) -> str:
        words = [OBSERVERS.spell(self.observer), str(self.spec.bits)]
        words += [name for name in SWITCHES if getattr(self.spec, name)]
        return " ".join([*words, self.granularity, MODE + QUANTIZERS.spell(self.mode)])

    def target(self, axis: int | None) -> Target:
        """What is sought for a tensor whose channels lie along ``axis``."""
        if self.granularity == OWN:
            own = PER_TENSOR if axis is None else Granularity(OWN, axis)
            return Target.of(self.spec, own, self.mode)
        return Target.of(self.spec, Granularity.parse(self.granularity), self.mode)


EXAMPLE = "absmax 8 signed symmetric per_channel"


@dataclass(frozen=True)
class Schemes:
    """One scheme for weights, one for activations."""

    weights: Scheme
    activations: Scheme

    @staticmethod
    def usual() -> Schemes:
        """Weights symmetric per channel, activations affine per tensor, 8 bits each."""
        return Schemes(Scheme.parse(EXAMPLE), Scheme.parse("minmax 8"))

    def of(self, role: str) -> Scheme:
        """The scheme of a tensor by its role: all but activations go as weights."""
        return self.activations if role == "activation" else self.weights


def _about(word: str) -> str:
    """What a word of a scheme is about."""
    if word.isdecimal():
        return BITS
    if word in SWITCHES:
        return word
    if word.startswith("per_"):
        return "grouping"
    return "mode" if word.startswith(MODE) else "observer"


def _checked(granularity: str) -> str:
    if granularity != OWN:
        Granularity.parse(granularity)
    return granularity
