"""A bias that does not fit its 32 bits."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import HIGH, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.words import floats, indices, named, number
from qviz.errors import QvizError

LARGEST = 2**31 - 1
BIAS = "bias"  # where the gain is measured


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
    unit = bias.input_scale * np.broadcast_to(scales, b.shape)
    codes = np.rint(b / unit)
    over = np.abs(codes) > LARGEST
    if not over.any():
        return None
    floor = np.abs(b) / LARGEST / bias.input_scale
    which = indices(over)
    back = np.clip(codes, -LARGEST - 1, LARGEST) * unit
    evidence = {"channels": which, "count": int(over.sum()), "limit": LARGEST}
    evidence |= {"bias": floats(b[over]), "decoded": floats(back[over])}
    evidence |= {
        "codes": floats(codes[over]),
        "weight_scale": floats((unit / bias.input_scale)[over]),
    }
    evidence |= {"bias_scale": floats(unit[over]), "safe_weight_scale": float(floor[over].max())}
    message = (
        f"{_biases(int(over.sum()))} beyond 2^31 - 1 steps ({named(which)}), up to "
        f"{number(float(np.abs(codes).max()))}: the weight scale is below "
        f"{number(float(floor[over].max()))}, the safe floor{_whole(scales, floor)}."
    )
    safe = np.maximum(unit, floor * bias.input_scale)
    fixes = ranked([_raised(b, unit, safe, floor[over])]).fixes
    return Finding(HIGH, message, evidence, fixes)


def _whole(scales: np.ndarray, floor: np.ndarray) -> str:
    """Whether one scale for the whole weight would do, where each channel has its own."""
    largest = float(scales.max())
    if scales.size == 1 or largest < floor.max():
        return ""
    return f"; one scale for the tensor ({number(largest)}) is not affected"


def _biases(count: int) -> str:
    return "1 bias is" if count == 1 else f"{count:,} biases are"


def _raised(b: np.ndarray, unit: np.ndarray, safe: np.ndarray, floor: np.ndarray) -> Fix:
    """Weight scales raised to where the bias fits, and what that gains on the bias."""
    signal = (b * b).sum()
    now, then = (sqnr(signal, ((_coded(b, u) - b) ** 2).sum()) for u in (unit, safe))
    words = f"raise these weight scales to at least {number(float(floor.max()))}"
    return Fix(words, then - now, {}, BIAS)


def _coded(b: np.ndarray, unit: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(b / unit), -LARGEST - 1, LARGEST) * unit
