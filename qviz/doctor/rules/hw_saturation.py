"""Pairs of products that saturate 16 bits on processors without wider sums."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import MEDIUM, OUTPUT, Finding, Fix, milder, rule
from qviz.doctor.case import Case
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.tries import inside
from qviz.doctor.words import percent
from qviz.spec import Role
from qviz.transforms.base import Operand

LARGEST = 2**15 - 1
SHARE = 1e-4  # of the pair sums
LOOKED = 48  # tokens, and outputs
LONG = 2048  # inputs
FULL, REDUCED = 127, 63  # largest weight code of 8 and of 7 bits


@rule(
    "HW-SATURATION",
    title="Pairs of products saturate 16 bits",
    fires="over 0.01 % of the sums of two neighbouring u8 x s8 products exceed 32767",
    rated="the gain of 7-bit weights at the output, at most medium: only some processors do it",
    reports=(
        *("microsoft/onnxruntime#6004", "microsoft/onnxruntime#5849", "microsoft/onnxruntime#6545"),
        *("openvinotoolkit/nncf#1027", "pytorch/pytorch#44939", "pytorch/FBGEMM#199"),
    ),
)
def hw_saturation(case: Case) -> Finding | None:
    """Share of saturated pairs on some tokens and outputs, and what they cost."""
    axis = None if case.operand is None else inside(case)
    if case.operand is None or axis is None or case.spec.bits != 8:
        return None
    x = Operand(case.values.batches[0], axis).matrix
    a, w = (case.operand.matrix, x) if case.role == Role.WEIGHT else (x, case.operand.matrix)
    a, w = (_some(m) for m in (a, w))
    codes, scale, zero = _unsigned(a)
    share, full = _outputs(codes, zero, scale, w, FULL)
    if share <= SHARE:
        return None
    _, reduced = _outputs(codes, zero, scale, w, REDUCED)
    exact = a @ w.T
    signal = (exact * exact).sum()
    now, then = (sqnr(signal, ((y - exact) ** 2).sum()) for y in (full, reduced))
    evidence = {"share": share, "threshold": SHARE, "limit": LARGEST, "output_sqnr": now}
    evidence |= {"tokens": len(a), "outputs": len(w), "inputs": a.shape[1]}
    found = ranked([Fix("use 7 bits for the weights (-64 to 63)", then - now, {}, OUTPUT)])
    message = (
        f"{percent(share)} of the sums of two u8 x s8 products exceed 32767 "
        f"(over {percent(SHARE)}): processors that add them in 16 bits saturate there."
    )
    return Finding(milder(found.severity, MEDIUM), message, evidence, found.fixes, found.tried)


def _some(matrix: np.ndarray) -> np.ndarray:
    """Some rows and an even number of columns, float64."""
    stride = max(1, -(-len(matrix) // LOOKED))
    width = min(matrix.shape[1], LONG)
    part = matrix[::stride, :width].astype(np.float64)
    return np.pad(part, ((0, 0), (0, width % 2)))


def _unsigned(a: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Codes 0 to 255 of min-max, their scale and zero point."""
    lo, hi = min(float(a.min()), 0.0), max(float(a.max()), 0.0)
    scale = (hi - lo) / 255 or 1.0
    zero = float(np.rint(-lo / scale))
    return np.clip(np.rint(a / scale) + zero, 0, 255), scale, zero


def _outputs(
    codes: np.ndarray, zero: float, scale: float, w: np.ndarray, largest: int
) -> tuple[float, np.ndarray]:
    """Share of saturated pairs, and the product as it comes out, (tokens, outputs)."""
    amax = np.abs(w).max(axis=1, keepdims=True)
    step = np.where(amax > 0, amax, 1.0) / largest
    q = np.rint(w / step)
    pairs = codes[:, None, 0::2] * q[None, :, 0::2] + codes[:, None, 1::2] * q[None, :, 1::2]
    kept = np.clip(pairs, -LARGEST - 1, LARGEST)
    sums = kept.sum(axis=2) - zero * q.sum(axis=1)
    return float((kept != pairs).mean()), sums * scale * step[:, 0]
