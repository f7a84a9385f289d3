"""A histogram in one glance: an SVG of 64 bars, numbers only, no words."""

from __future__ import annotations

import numpy as np

from qviz.figures.bins import full, linear_bins
from qviz.figures.theme import Palette
from qviz.stats.cells import Cells

BARS, WIDTH, HEIGHT = 64, 256, 44


def sparkline(cells: Cells, palette: Palette) -> str:
    """SVG of the counts on a log scale; a dotted line marks 0 where it is in view."""
    lo, hi = full(cells)
    counts = linear_bins(cells, lo, hi, BARS).counts
    tall = np.log1p(counts) / max(float(np.log1p(counts.max(initial=0.0))), 1.0)
    step, base = WIDTH / BARS, HEIGHT - 1
    top = [f"{base - h * (base - 4):.1f}" for h in tall]
    path = "".join(f"V{y}H{(i + 1) * step:g}" for i, y in enumerate(top))
    parts = [
        f'<path d="M0 {base}{path}V{base}Z" fill="{palette.fill}"/>',
        f'<path d="M0 {base + 0.5}H{WIDTH}" stroke="{palette.edge}"/>',
    ]
    if lo < 0 < hi:
        x = f"{(0 - lo) / (hi - lo) * WIDTH:.1f}"
        blue = palette.highlights[0]
        parts.append(f'<path d="M{x} 0V{base}" stroke="{blue}" stroke-dasharray="2 2"/>')
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'
