"""NVIDIA's calibrator as one writes it down first: torch's own functions, and plain loops."""

import numpy as np
import torch


def histogram(batches, bins, skip_zeros=False):
    """(counts, edges) after all batches, float32 tensors as torch makes them."""
    counts = edges = None
    for given in map(torch.from_numpy, batches):
        x = given.abs() if torch.min(given) < 0 else given
        if skip_zeros:
            x = x[x != 0]
        most = x.max()
        if counts is None:
            counts = torch.histc(x, bins=bins, min=0, max=float(most))
            edges = torch.linspace(0, float(most), bins + 1)
            continue
        if most > edges[-1]:
            width = edges[1] - edges[0]
            bins = int((most / width).ceil().item())
            edges = torch.arange(0, most + width, width)
        new = torch.histc(x, bins=bins, min=0, max=float(edges[-1]))
        new[: counts.numel()] += counts
        counts = new
    return counts.numpy(), edges.numpy()


def divergence(counts, levels, kept):
    """One divergence, bin by bin."""
    counts = [float(c) for c in counts]
    counts[0] = counts[1]
    space = np.linspace(0, kept, levels + 1)
    level = [int(np.digitize(b, space)) - 1 for b in range(kept)]
    sums, used = [0.0] * (levels + 1), [0] * (levels + 1)
    for b in range(kept):
        if counts[b]:
            sums[level[b]] += counts[b]
            used[level[b]] += 1
    q = [sums[level[b]] / used[level[b]] if counts[b] else 0.0 for b in range(kept)]
    p = counts[:kept]
    p[-1] += sum(counts[kept:])
    if not any(q):
        return np.nan
    found = 0.0
    for a, b in zip(p, q, strict=True):
        if a > 0:
            share = a / sum(p)
            found += share * np.log(share * sum(q) / b) if b > 0 else np.inf
    return found


def squared_error(counts, middles, clip, last):
    """Sum of count * (middle - quantized middle)^2."""
    scale = clip / last
    return sum(
        float(c) * (min(round(v / scale), last) * scale - v) ** 2
        for c, v in zip(counts, map(float, middles), strict=True)
    )
