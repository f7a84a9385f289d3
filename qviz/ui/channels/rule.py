"""The rule that chooses every range, and its knobs."""

from __future__ import annotations

import streamlit as st

from qviz.observers.base import OBSERVERS, Observer
from qviz.ui import linking
from qviz.ui.choice import Choice
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

FITTING = "fitting"  # the rule that goes with the codes
NAME = KEY = "channels_rule"


def chosen_rule(choice: Choice) -> Observer:
    """The selectbox, and the knobs of the rule it chose; the address holds its spelling."""
    fitting = "absmax" if choice.target.spec.symmetric else "minmax"
    names = [FITTING, *OBSERVERS]
    title = OBSERVERS.entry(fitting).title
    given = linking.start(choice, NAME, KEY, _spelling, FITTING)
    name = st.selectbox(
        "Rule for every range", names, names.index(given.partition(":")[0]), key=KEY,
        format_func=lambda n: f"{title} (fits the codes)" if n == FITTING
        else OBSERVERS.entry(n).title, help=term("channels_rule"),
    )  # fmt: skip
    if name == FITTING:
        linking.tell(choice, NAME, None)
        return OBSERVERS[fitting]()
    start = OBSERVERS.make(given) if given.partition(":")[0] == name else OBSERVERS[name]()
    made = knob_widgets(start, f"channels_knob-{name}")
    linking.tell(choice, NAME, OBSERVERS.spell(made))
    return made


def _spelling(text: str) -> str:
    """The spelling of a rule that was named by its spelling or by its title."""
    titles = {OBSERVERS.entry(name).title: name for name in OBSERVERS}
    return OBSERVERS.spell(OBSERVERS.make(titles.get(text, text)))
