"""A bias that does not fit its 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz.doctor.base import HIGH, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.words import floats, indices, named, number
from qviz.errors import QvizError

LARGEST = 2**31 - 1
BIAS = "bias"  # where the gain is measured
STORED = float(np.finfo(np.float32).max)  # of a scale
MOST = float(np.finfo(np.float64).max)  # of a number of steps
EXACT = 300  # power of ten beyond which only that is told


@rule(
    "BIAS-OVERFLOW",
    title="The bias overflows int32",
    fires="max |bias| / (input scale x weight scale) is over 2^31 - 1",
    rated="always high: the decoded bias is another number",
    reports=(
        *(
            "microsoft/onnxruntime#21000",
            "microsoft/onnxruntime#22020",
            "microsoft/onnxruntime#25278",
        ),
        *("tensorflow/tensorflow#33735", "Samsung/ONE#6970", "pytorch/glow#5033"),
    ),
)
def bias_overflow(case: Case) -> Finding | None:
    """Channels whose bias clips, what comes back, and the smallest safe weight scale."""
    bias = case.bias
    if bias is None:
        return None
    scales = case.scales if bias.weight_scale is None else np.atleast_1d(bias.weight_scale)
    b = np.asarray(bias.values, np.float64).reshape(-1)
    if scales.size not in (1, b.size):
        raise QvizError(f"{b.size} biases meet {scales.size} weight scales.")
    if not (bias.input_scale > 0 and (scales > 0).all()):
        raise QvizError("A scale is not above 0.")
    weights = np.broadcast_to(scales, b.shape)
    unit = bias.input_scale * weights
    codes = np.where(b == 0, 0.0, np.rint(b / unit))  # of a unit below float64 infinite
    over = np.abs(codes) > LARGEST
    if not over.any():
        return None
    floor = np.abs(b) / LARGEST / bias.input_scale
    which = indices(over)
    evidence = {"channels": which, "count": int(over.sum()), "limit": LARGEST}
    evidence |= {"bias": floats(b[over]), "decoded": floats(_coded(b, unit)[over])}
    evidence |= {"codes": floats(np.minimum(np.abs(codes), MOST)[over] * np.sign(b[over]))}
    evidence |= {"weight_scale": floats(weights[over]), "bias_scale": floats(unit[over])}
    steps = np.log10(np.abs(b[over])) - np.log10(bias.input_scale) - np.log10(weights[over])
    said = f"{_biases(int(over.sum()))} beyond 2^31 - 1 steps ({named(which)}), up to "
    said += f"{_large(float(steps.max()))}"
    if floor[over].max() > STORED:
        return _too_fine(b, bias.input_scale, weights, said, evidence)
    evidence["safe_weight_scale"] = float(floor[over].max())
    message = (
        f"{said}: the weight scale is below {number(float(floor[over].max()))}, the safe "
        f"floor{_whole(scales, floor)}."
    )
    words = f"raise these weight scales to at least {number(float(floor[over].max()))}"
    fix = _raised(words, b, unit, np.maximum(unit, floor * bias.input_scale))
    return Finding(HIGH, message, evidence, ranked([fix]).fixes)


def _too_fine(
    b: np.ndarray, step: float, weights: np.ndarray, said: str, evidence: dict[str, Any]
) -> Finding:
    """No weight scale that can be stored is enough: the input's step is what is too small."""
    safe = float((np.abs(b) / LARGEST / weights).max())
    message = (
        f"{said}: no float32 weight scale is large enough beside an input scale of {number(step)}, "
        f"which must be at least {number(safe)}."
    )
    words = f"raise the input scale to at least {number(safe)}"
    fix = _raised(words, b, step * weights, np.maximum(step, safe) * weights)
    return Finding(HIGH, message, evidence | {"safe_input_scale": safe}, ranked([fix]).fixes)


def _large(power: float) -> str:
    """``1.2e+15``, ``10^320``: a number of steps by its power of ten."""
    return number(10**power) if power < EXACT else f"10^{int(power)}"


def _whole(scales: np.ndarray, floor: np.ndarray) -> str:
    """Whether one scale for the whole weight would do, where each channel has its own."""
    largest = float(scales.max())
    if scales.size == 1 or largest < floor.max():
        return ""
    return f"; one scale for the tensor ({number(largest)}) is not affected"


def _biases(count: int) -> str:
    return "1 bias is" if count == 1 else f"{count:,} biases are"


def _raised(words: str, b: np.ndarray, unit: np.ndarray, safe: np.ndarray) -> Fix:
    """Steps raised to where the bias fits, and what that gains on the bias."""
    signal = (b * b).sum()
    now, then = (sqnr(signal, ((_coded(b, u) - b) ** 2).sum()) for u in (unit, safe))
    return Fix(words, then - now, {}, BIAS)


def _coded(b: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """What comes back of a bias; nothing of a step that float64 does not hold."""
    codes = np.where(b == 0, 0.0, np.rint(b / unit))
    return np.clip(codes, -LARGEST - 1, LARGEST) * unit
