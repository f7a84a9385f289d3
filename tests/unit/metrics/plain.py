"""Each metric as plainly as NumPy says it, one row of values at a time, in float64."""

import numpy as np


def coded(x, scale, zero, low, high):
    """Code before clamping, and what comes back, of a uniform grid."""
    code = np.rint(x / scale) + zero
    return code, (np.clip(code, low, high) - zero) * scale


def metrics(x, y, code, ends, step):
    """All metrics of one row of finite values."""
    e, clipped = y - x, (code < ends[0]) | (code > ends[1])
    n, kept = len(x), np.clip(code, *ends)
    mse = np.mean(e**2)
    with np.errstate(all="ignore"):
        out = {
            "mse": mse,
            "rmse_steps": np.sqrt(mse) / step,
            "sqnr": 10 * np.log10(np.sum(x**2) / np.sum(e**2)),
            "sqnr_centered": 10 * np.log10(np.sum((x - x.mean()) ** 2) / np.sum(e**2)),
            "psnr": 10 * np.log10((x.max() - x.min()) ** 2 / mse),
            "cosine": np.sum(x * y) / (np.linalg.norm(x) * np.linalg.norm(y)),
            "max_abs_error": np.abs(e).max(),
            "mean_abs_error": np.abs(e).mean(),
            "bias": e.mean(),
            "bias_steps": e.mean() / step,
            "relative_l1": np.abs(e).sum() / np.abs(x).sum(),
            "js": jensen_shannon(x, y),
            "clipped": clipped.sum(),
            "clipped_low": (code < ends[0]).sum(),
            "clipped_high": (code > ends[1]).sum(),
            "clipped_share": clipped.mean(),
            "clipped_energy": np.sum(e[clipped] ** 2) / np.sum(x**2),
            "clip_mse": np.sum(e[clipped] ** 2) / n,
            "round_mse": np.sum(e[~clipped] ** 2) / n,
            "codes_used": len(np.unique(kept)),
            "code_entropy": entropy_bits(kept),
            "zeroed_share": np.sum((x != 0) & (y == 0)) / np.sum(x != 0),
        }
    return out


def entropy_bits(codes):
    share = np.unique(codes, return_counts=True)[1] / len(codes)
    return -sum(p * np.log2(p) for p in share)


def jensen_shannon(x, y):
    low, width = x.min(), (x.max() - x.min()) / 256
    p, q = (
        np.bincount(np.clip(np.floor((v - low) / width), 0, 255).astype(int), minlength=256)
        / len(x)
        for v in (x, y)
    )
    middle = (p + q) / 2
    return sum(np.sum(r[r > 0] * np.log(r[r > 0] / middle[r > 0])) for r in (p, q)) / 2
