"""The picture of a finding: one kind for each kind of evidence."""

from __future__ import annotations

from collections.abc import Callable

from qviz.doctor.base import Finding
from qviz.figures.code_bars import code_bars
from qviz.figures.doctor_bars import MOST, Magnitude, Mark, bars_on_log
from qviz.figures.doctor_channels import channels_picture
from qviz.figures.doctor_facts import Facts
from qviz.figures.doctor_formats import clipped_picture, overflow_picture
from qviz.figures.doctor_knife import knife_edge
from qviz.figures.doctor_magnitudes import crowded, magnitudes
from qviz.figures.doctor_range import kept_range
from qviz.figures.numbers import number, percent
from qviz.figures.tf_brackets import Bracket, brackets
from qviz.figures.theme import Figure, Palette

LARGEST = 2**31 - 1  # of an int32 bias
TALL = 260  # pixels of a picture of codes
SMALLEST = {"float16": 2.0**-24, "bfloat16": 2.0**-133}  # positive numbers
Picture = Callable[[Finding, Facts, Palette], "Figure | None"]


def picture(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """The rule's picture; None where a table of its numbers says more."""
    draw = PICTURES.get(finding.rule, _range)
    return draw(finding, facts, palette)


def _batches(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """Largest magnitude of each batch, in their order."""
    amax, e = facts.batch_amax, finding.evidence
    if amax is None:
        return None
    at = int(e.get("batch", 0))
    start = min(max(at - MOST // 2, 0), max(len(amax) - MOST, 0))
    shown = range(start, min(start + MOST, len(amax)))
    rows = [
        Magnitude(f"batch {i}", float(amax[i]), number(amax[i]), e.get("batch") == i) for i in shown
    ]
    marks = []
    if facts.step is not None:
        marks.append(Mark(facts.step / 2, "below half a step: becomes 0", bold=True))
    if "range" in e:
        reach = max(abs(v) for v in e["range"])
        marks.append(Mark(reach, f"the range reaches {number(reach)}"))
    return bars_on_log(rows, marks, palette, "largest magnitude of the batch (log)")


def _bias(finding: Finding, facts: Facts, palette: Palette) -> Figure:
    e = finding.evidence
    rows = [
        Magnitude(f"channel {c}", abs(code), number(code), fault=True)
        for c, code in zip(e["channels"], e["codes"], strict=True)
    ]
    marks = [Mark(float(LARGEST), "2³¹ − 1, the largest int32", bold=True)]
    return bars_on_log(rows, marks, palette, "bias in steps of input scale × weight scale (log)")


def _scales(finding: Finding, facts: Facts, palette: Palette) -> Figure:
    """Scales that are too small to be stored, and what they become."""
    e = finding.evidence
    rows = [
        Magnitude(f"channel {c}", s, f"becomes {number(kept)}", fault=True)
        for c, s, kept in zip(e["channels"], e["scale"], e["stored_scale"], strict=True)
    ]
    least = SMALLEST.get(e["stored"], 0.0)
    marks = [Mark(least, f"smallest {e['stored']}", bold=True)]
    return bars_on_log(rows, marks, palette, "scale (log)")


def _spread(finding: Finding, facts: Facts, palette: Palette) -> Figure:
    e = finding.evidence
    side = {True: "faint below", False: "largest above"}
    faint = e.get("faint_axes", ())
    rows = [
        Magnitude(f"axis {a}, {side[a in faint]}", float(v), f"{number(v)} ×", a == e["other"])
        for a, v in enumerate(e["spread"])
    ]
    marks = [Mark(float(e["threshold"]), "wrong axis from here on")]
    return bars_on_log(rows, marks, palette, "times from the median channel along the axis (log)")


def _ties(finding: Finding, facts: Facts, palette: Palette) -> Figure:
    flips = sorted(finding.evidence["flips"].items(), key=lambda flip: -flip[1])
    flips = [(_tie(name), v) for name, v in flips]
    rows = [Magnitude(name, float(v), percent(v), at == 0) for at, (name, v) in enumerate(flips)]
    marks = [Mark(float(finding.evidence["threshold"]), "worth a word")]
    return bars_on_log(rows, marks, palette, "share of the codes that change (log)")


def _tie(name: str) -> str:
    return name.removeprefix("ties ").replace(" added before rounding", " first")


def _range(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """The data under the covered range, with the rule's own marks."""
    if facts.bins is None:
        return None
    e, marks = finding.evidence, []
    if "usual" in e:
        usual = float(e["usual"])
        if crowded(facts.bins):
            return _spikes(finding, facts, palette)
        marks = [Mark(usual, f"{_most(e['share'])} of the values lie between"), Mark(-usual, "")]
    if "others_min" in e:
        marks = [Mark(float(e[k]), "others") for k in ("others_min", "others_max")][-1:]
    if "known" in e:
        marks = [Mark(float(e["known"][1]), "end of the known range")]
    return kept_range(facts.bins, facts.covered, marks, palette)


def _spikes(finding: Finding, facts: Facts, palette: Palette) -> Figure:
    """Magnitudes of all values, from those that become 0 to those that set the range."""
    e = finding.evidence
    half = "half a step: less becomes 0"
    marks = [] if facts.step is None else [Mark(facts.step / 2, half, bold=True)]
    marks += [
        Mark(float(e["usual"]), f"{_most(e['share'])} below"),
        Mark(float(e["largest"]), "largest"),
    ]
    return magnitudes(e["powers"], e["values_per_power"], marks, palette)


def _most(share: float) -> str:
    """``99.9 %``: the part of the values that does not set the range."""
    return f"{100 * share:.3g} %"


def _ends(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """The codes that occur, and nothing of all the others."""
    made = _codes(finding, facts, palette)
    if made is not None:
        made["data"] = made["data"][:1]
    return made


def _step(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """The data under the covered range; of codes alone, those that occur."""
    return (_range if facts.bins is not None else _codes)(finding, facts, palette)


def _codes(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """Elements of each code; codes that no element has are hollow."""
    if facts.counts is None or facts.ends is None:
        return None
    made = code_bars(facts.ends[0], facts.counts, palette)
    made["layout"] |= {"height": TALL}
    return made


def _brackets(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    e = finding.evidence
    asked, kept = e.get("requested", facts.asked), e.get("covered", facts.covered)
    if asked is None or kept is None:
        return None
    blue, orange = palette.highlights[0], palette.highlights[1]
    rows = [
        Bracket("Asked for", asked[0], asked[1], palette.edge, "by the observer"),
        Bracket("Covered", kept[0], kept[1], blue if finding.expected else orange, "0 is a level"),
    ]
    return brackets(facts.bins, rows, (asked[0], asked[1]), palette)


def _knife(finding: Finding, facts: Facts, palette: Palette) -> Figure:
    e = finding.evidence
    low, high = e["candidates"]
    return knife_edge(float(e["raw_zero_point"]), (low, high), e["rules"], palette)


PICTURES: dict[str, Picture] = {
    "OUTLIER-CHANNEL": channels_picture,
    "MIXED-RANGES": channels_picture,
    "DEAD-CHANNEL": channels_picture,
    "SCALE-FLOOR": channels_picture,
    "SCALE-UNDERFLOW": _scales,
    "RANGE-JUMP": _batches,
    "SLOW-AVERAGE": _batches,
    "BIAS-OVERFLOW": _bias,
    "WRONG-AXIS": _spread,
    "TIE-SENSITIVE": _ties,
    "ZP-KNIFE-EDGE": _knife,
    "NUDGE-MOVED-WINDOW": _brackets,
    "NUDGED-ENDS": _brackets,
    "HALF-UNUSED": _codes,
    "POW2-WASTE": _codes,
    "SATURATED-CODES": _ends,
    "STEP-TOO-LARGE": _step,
    "NON-NATIVE-CODES": _codes,
    "SYMMETRIC-UNSIGNED-MIDPOINT": _codes,
    "BIAS-ONE-STEP": _codes,
    "HW-SATURATION": lambda finding, facts, palette: None,
    "ZERO-WEIGHTS": lambda finding, facts, palette: None,
    "COARSE-HISTOGRAM": _range,
    "FP8-OVERFLOW": overflow_picture,
    "MX-CLIPPED": clipped_picture,
}
