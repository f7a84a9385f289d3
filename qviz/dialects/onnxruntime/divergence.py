"""The divergences that ONNX Runtime's entropy calibrator compares, to the same float32 bits."""

from __future__ import annotations

import numpy as np

from qviz.dialects.onnxruntime.errors import FailedAssertion, InvalidValue

EPS = 0.0001  # what smoothing gives each empty bin


def half_widths(bins: int, levels: int) -> np.ndarray:
    """Candidates: bins kept on each side of the middle, from levels / 2 up to all of them.

    Raises
    ------
    InvalidValue
        Fewer bins than levels.
    """
    if bins // 2 < levels // 2:
        raise InvalidValue(
            f"{bins} bins leave nothing to choose for {levels} levels.",
            "At least as many bins as levels are needed.",
            "Raise num_bins or lower num_quantized_bins.",
        )
    return np.arange(levels // 2, bins // 2 + 1)


def kept(half: int, bins: int) -> tuple[int, int]:
    """First bin kept, and the one after the last: one more on the right than on the left."""
    middle = bins // 2
    return middle - half, min(middle + half + 1, bins)


def divergences(counts: np.ndarray, levels: int) -> np.ndarray:
    """D(p || q) of each candidate in nats: float32 numbers in float64, inf where q is empty.

    p is the kept bins, all counts outside added to their ends; q shares the counts of each of
    ``levels`` levels among its bins. Both are smoothed and normalized.

    Raises
    ------
    FailedAssertion
        So few bins are occupied that smoothing takes a whole count from each.
    """
    bins, sums = len(counts), (_before(counts), _before(counts != 0))
    spans = (kept(half, bins) for half in half_widths(bins, levels).tolist())
    return np.array([_divergence(counts, sums, span, levels) for span in spans])


def _before(counts: np.ndarray) -> np.ndarray:
    """Sums over the bins before each, and over all, (bins + 1,)."""
    return np.concatenate([[0], np.cumsum(counts)])


def _divergence(
    counts: np.ndarray, sums: tuple[np.ndarray, np.ndarray], span: tuple[int, int], levels: int
) -> float:
    (before, occupied), (start, end) = sums, span
    p = counts[start:end].copy()
    p[0] += before[start]
    p[-1] += before[-1] - before[end]
    full, per_level = p != 0, p.size // levels
    shared = per_level * levels
    edges = np.arange(start, start + shared + 1, per_level)
    shares, used = np.diff(before[edges]), np.diff(occupied[edges])
    shares[-1] += before[end] - before[edges[-1]]  # the bins left over
    used[0] += full[0] and not counts[start]  # an end of p may hold nothing but a tail
    used[-1] += shared == p.size and full[-1] and not counts[end - 1]
    each = shares // np.maximum(used, 1) * (used > 0)
    if not (full.any() and each.any()):
        return np.inf
    q = np.full(p.size, EPS, np.float32)
    levels_of_q = _smoothed(each, per_level * int(np.count_nonzero(each)), p.size)
    q[:shared] = np.repeat(levels_of_q, per_level)
    return _relative(_smoothed(p, int(np.count_nonzero(full)), p.size), q)


def _smoothed(counts: np.ndarray, occupied: int, bins: int) -> np.ndarray:
    """Empty bins get EPS, the ``occupied`` ones of all ``bins`` lose as much in all; float32."""
    taken = EPS * float(bins - occupied) / float(occupied)
    if np.float32(taken) >= 1:
        raise FailedAssertion(
            f"{occupied} of {bins} bins are occupied: too few to smooth.",
            f"Smoothing would take {taken:.3g} from each of them.",
            "Use fewer bins.",
        )
    return np.where(counts != 0, counts.astype(np.float32) - np.float32(taken), np.float32(EPS))


def _relative(p: np.ndarray, q: np.ndarray) -> float:
    """Sum of p ln(p / q), both normalized, every operation in float32."""
    p, q = p / p.sum(), q / q.sum()
    terms = np.log(p / q)
    terms *= p
    return float(terms.sum())
