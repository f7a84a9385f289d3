"""A raw zero point on the line of codes, and which rules go which way."""

from __future__ import annotations

from collections.abc import Mapping

from qviz.figures.numbers import fixed
from qviz.figures.theme import Figure, Margins, Palette, layout, segment, words

HEIGHT, SIDE = 230, 0.7  # pixels; codes in view beyond both candidates
NAMED = 3  # rules named on a side


def knife_edge(
    raw: float, candidates: tuple[int, int], rules: Mapping[str, int], palette: Palette
) -> Figure:
    """Both candidates as ticks, the tie dotted, the raw zero point as a diamond.

    Below each candidate stands how many ``rules`` (name -> zero point) take it, and the first.
    """
    low, high = candidates
    out = layout(palette, HEIGHT, Margins(8, 8, 30, 8), uirevision="doctor")
    out["xaxis"] = {"range": [low - SIDE, high + SIDE], "visible": False, "fixedrange": True}
    out["yaxis"] = {"range": [0, 1], "visible": False, "fixedrange": True}
    middle, dotted = (low + high) / 2, {"color": palette.muted, "width": 1, "dash": "dot"}
    out["shapes"] = [segment(palette.muted, (low - SIDE, high + SIDE), (0.62, 0.62))]
    out["shapes"] += [
        segment("", (code, code), (0.48, 0.76), line={"color": palette.ink, "width": 2.2})
        for code in candidates
    ]
    out["shapes"].append(segment("", (middle, middle), (0.4, 0.95), line=dotted))
    out["annotations"] = [
        words(
            f"<b>raw zero point {fixed(raw, 6)}</b>", palette.highlights[1],
            x=raw, y=1.0, xref="x", yanchor="bottom",
        )
    ]  # fmt: skip
    for code, color in zip(candidates, (palette.highlights[0], palette.highlights[2]), strict=True):
        place = {"x": code, "xref": "x", "yanchor": "top", "align": "center"}
        out["annotations"].append(words(f"code <b>{code}</b>", palette.ink, y=0.44, **place))
        out["annotations"].append(words(_who(code, rules), color, y=0.3, **place))
    dot = {
        "type": "scatter", "mode": "markers", "x": [raw], "y": [0.62], "hoverinfo": "skip",
        "marker": {"symbol": "diamond", "size": 13, "color": palette.highlights[1]},
    }  # fmt: skip
    return {"data": [dot], "layout": out}


def _who(code: int, rules: Mapping[str, int]) -> str:
    """``3 rules`` and the first of them, a line each."""
    names = sorted(name for name, zero in rules.items() if zero == code)
    if not names:
        return "no rule"
    head = f"<b>{len(names)} rule{'s' * (len(names) != 1)}</b>"
    more = [f"and {len(names) - NAMED} more"] * (len(names) > NAMED)
    return "<br>".join([head, *names[:NAMED], *more])
