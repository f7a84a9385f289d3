"""Findings of float8 and of blocks: pictures, and what they come to in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qviz.doctor.base import Finding
from qviz.figures.doctor_bars import Mark
from qviz.figures.doctor_facts import Facts
from qviz.figures.doctor_range import kept_range
from qviz.figures.labels import GAP, Place, above
from qviz.figures.numbers import number, percent
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment

HEIGHT, TOP = 260, 10  # pixels
Evidence = Mapping[str, Any]


def overflow_picture(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """The values; what lies beyond the largest number is shaded."""
    e = finding.evidence
    if facts.bins is None or "maximum" not in e:
        return None
    small = [Mark(sign * float(e["smallest"]), "smallest number") for sign in (-1, 1)]
    kept = -float(e["maximum"]), float(e["maximum"])
    return kept_range(facts.bins, kept, [] if e["over"] else small[1:], palette)


def clipped_picture(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """Blocks by their largest element over the scale; those that are clipped are orange."""
    e = finding.evidence
    if "counts" not in e:
        return None
    counts, low, most = np.array(e["counts"]), float(e["largest_power"]), float(e["maximum"])
    edges = np.linspace(low, 2 * low, len(counts) + 1)
    out = layout(palette, HEIGHT, Margins(56, 14, TOP + GAP, 46), uirevision="doctor")
    title = "largest element of the block / shared scale"
    out["xaxis"] = axis(palette, title) | {"range": [low, 2 * low], "fixedrange": True}
    out["yaxis"] = axis(palette, "blocks", grid=True) | {"rangemode": "tozero", "fixedrange": True}
    blue, orange = palette.highlights[:2]
    line = {"color": blue, "width": 2, "dash": "dash"}
    out["shapes"] = [segment("", (most, most), (0.0, 1.0), line=line)]
    place = Place(f"largest number, {number(most)}", blue, most / low - 1, True)
    out["annotations"] = [above(place, 0, palette)]
    bars = {
        "type": "bar", "x": ((edges[1:] + edges[:-1]) / 2).tolist(), "y": counts.tolist(),
        "width": 0.94 * low / len(counts),
        "marker": {"color": [orange if edge >= most else palette.edge for edge in edges[:-1]]},
        "hovertemplate": "%{x:.4~g}: %{y:,.0f} blocks<extra></extra>",
    }  # fmt: skip
    return {"data": [bars], "layout": out}


def overflow_words(e: Evidence) -> str:
    """What becomes of how many values."""
    if not e["over"]:
        return f"{percent(e['zeroed_share'])} of the values other than 0 become 0 in {e['format']}"
    share, most = percent(e["share"]), number(e["maximum"])
    return f"{share} of the values lie beyond {most}, the largest number of {e['format']}"


def clipped_words(e: Evidence) -> str:
    """What the largest elements of how many blocks lose."""
    share, loss = percent(e["share"]), percent(e["largest_loss"])
    return f"{share} of the blocks clip their largest element, by up to {loss}"
