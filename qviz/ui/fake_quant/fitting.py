"""Third view: learned scales on their way down the squared error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures import training_words as say
from qviz.figures.fake_quant_words import frameworks
from qviz.figures.training import training_curve, training_path
from qviz.figures.training_labels import Named
from qviz.pipeline.fitting import MOST_STEPS, Curve, Path, codes, curve, fit
from qviz.quantizers.stateful import LEARNERS, Learner, Spread
from qviz.spec import QuantSpec
from qviz.stats.minmax import MinMax
from qviz.stats.moments import Moments
from qviz.ui.choice import Choice
from qviz.ui.fake_quant import modes, tensor
from qviz.ui.notices import palette, plain, plot
from qviz.ui.state import gathered, store
from qviz.ui.words import term

MOST = 8_192  # values fitted: a run takes some 20 ms
LINES = 4  # rules at once: more hues cannot be told apart
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
STARTS = {"minmax": "MinMax", "own": "Own", "both": "Both sides"}
SAID = {
    "minmax": "the largest magnitude (MinMax)",
    "own": "each rule’s own",
    "both": "0.2 and 5 times the best",
}
SIDES = (0.2, 5.0)  # times the best clip
TICK_S, TICKS = 0.5, 16  # seconds between two pictures of a play, and how many there are


@dataclass(frozen=True)
class Rule:
    """One learner on screen."""

    spelling: str
    title: str
    made: Learner


def view(choice: Choice) -> tuple[str, str]:
    """Controls, the two pictures and a sentence per rule; gives heading and caption."""
    rules, rate, start, steps = _controls()
    data = tensor.values(choice, MOST)
    if data.span is None:
        raise QvizError("There is nothing to learn from.", "No value is finite.", "Choose another.")
    spec = codes(choice.target.spec.bits, data.lo < 0)
    kept = store()
    key = (tensor.whole(choice).key, "curve", spec)
    found = kept.get(key)
    if found is None:
        found = curve((data.values, data.weights), spec)
        kept.put(key, found)
    runs, count = [], round(float(data.weights.sum()))
    for rank, rule in enumerate(rules):
        refused = rule.made.accepts(spec)
        if refused is not None:
            st.info(plain(f"{rule.title} is not drawn: {refused}."))
            continue
        factor, how = rule.made.factor(count, spec)
        how = say.label(rule.made.parameter, how)
        for at in _starts(rule, choice, found, start, spec):
            run = _run(rule, choice, data, spec, (at, rate, steps))
            runs.append((rule, Named(rule.title, how, run, rank, factor)))
    shown = [named for _, named in runs]
    stepping = bool(st.session_state.get("fake_quant_playing"))
    again = st.fragment(_stepped, run_every=TICK_S if stepping else None)
    again(shown, found, steps, stepping)
    _sentences(runs, found, spec)
    names = [LEARNERS.presets[rule.spelling][0] for rule in rules]
    st.caption(plain(frameworks(modes.configurations(names, LEARNERS))))
    size = count if data.exact else data.values.size
    words = say.caption(SAID[start], size, count, choice.about, spec)
    return say.heading(shown, found, steps, rate), words + data.words


def _controls() -> tuple[list[Rule], float, str, int]:
    columns = st.columns([3.2, 2.2, 2.6, 1.6], vertical_alignment="bottom")
    titles = {s: _title(s) for s in LEARNERS.presets}
    with columns[0]:
        picked = st.multiselect(
            "Rules", list(titles), format_func=titles.__getitem__, key="fake_quant_rules",
            help=term("fake_quant_rules"), bind="query-params", max_selections=LINES,
            placeholder="One of each; choose any",
        )  # fmt: skip
    rate = columns[1].select_slider(
        "Learning rate", RATES, 1.0, key="fake_quant_rate", help=term("fake_quant_rate"),
        bind="query-params",
    )  # fmt: skip
    start = columns[2].segmented_control(
        "Start", list(STARTS), default="both", format_func=STARTS.__getitem__, required=True,
        key="fake_quant_start", help=term("fake_quant_start"), bind="query-params",
    )  # fmt: skip
    steps = columns[3].number_input(
        "Steps", 1, MOST_STEPS, 80, key="fake_quant_steps", help=term("fake_quant_steps"),
        bind="query-params",
    )  # fmt: skip
    rules = [Rule(s, titles[s], LEARNERS.make(s)) for s in picked or _usual()]
    return rules, float(rate), start, int(steps)


def _usual() -> list[str]:
    """The first rule of each framework, and of none."""
    order = list(LEARNERS.presets)
    homes = [modes.home_of(LEARNERS.presets[s][0], LEARNERS).key for s in order]
    return [s for i, s in enumerate(order) if homes[i] not in homes[:i]][:LINES]


def _title(spelling: str) -> str:
    return str(LEARNERS.title_of(LEARNERS.make(spelling)))


def _starts(
    rule: Rule, choice: Choice, found: Curve, start: str, spec: QuantSpec
) -> Sequence[float]:
    spread = _spread(choice)
    if start == "own":
        return (rule.made.start(spread, spec),)
    clips = [side * found.best for side in SIDES] if start == "both" else [spread.largest]
    return [clip / rule.made.largest(spec) for clip in clips]


def _spread(choice: Choice) -> Spread:
    seen = gathered(tensor.whole(choice), (MinMax(), Moments()))
    found, n = seen[Moments()], max(int(seen[Moments()].n[0]), 1)
    std = float(np.sqrt(found.m2[0] / n))
    largest = float(seen[MinMax()].amax[0])
    return Spread(n, float(found.mean[0]), float(found.a1[0]) / n, std, largest)


def _run(
    rule: Rule,
    choice: Choice,
    data: tensor.Values,
    spec: QuantSpec,
    settings: tuple[float, float, int],
) -> Path:
    """A run, or the same run from the store."""
    key = (tensor.whole(choice).key, "fit", rule.spelling, spec, settings)
    path = store().get(key)
    if path is None:
        path = fit(rule.made, (data.values, data.weights), spec, *settings)
        store().put(key, path)
    return path


def _stepped(shown: Sequence[Named], found: Curve, steps: int, ticking: bool) -> None:
    """Play, the step slider, and both pictures at that step; again and again while ticking."""
    key = "fake_quant_step"
    now = min(int(st.session_state.get(key, steps)), steps)
    if now >= steps:  # the last picture has been drawn
        st.session_state["fake_quant_playing"] = False
    playing = bool(st.session_state.get("fake_quant_playing"))
    if playing != ticking:
        st.rerun()  # only the page around can start the clock, or stop it
    if playing:
        now = min(now + max(steps // TICKS, 1), steps)
    st.session_state[key] = now
    row = st.columns([1, 7], vertical_alignment="bottom")
    row[0].button("Stop" if playing else "Play", on_click=_toggle, args=(steps,),
                  icon=":material/stop:" if playing else ":material/play_arrow:",
                  key="fake_quant_play", width="stretch")  # fmt: skip
    at = row[1].slider("After step", 0, steps, key=key, help=term("fake_quant_step"))
    left, right = st.columns([7, 3])
    with left:
        plot(training_path(shown, found, palette(), steps, at), "training-path", "Clip by step")
    with right:
        plot(training_curve(shown, found, palette(), at), "training-curve", "SQNR by clip")


def _toggle(steps: int) -> None:
    playing = not st.session_state.get("fake_quant_playing", False)
    st.session_state["fake_quant_playing"] = playing
    if playing and st.session_state.get("fake_quant_step", steps) >= steps:
        st.session_state["fake_quant_step"] = 0


def _sentences(runs: Sequence[tuple[Rule, Named]], found: Curve, spec: QuantSpec) -> None:
    lines = [say.sentence(named, found, rule.made.largest(spec)) for rule, named in runs]
    if lines:
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))
