"""What single tensors of models that were run cost under settings tried on other pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from qviz.figures.layers_words import called, tried_line
from qviz.figures.numbers import number
from qviz.models.alone import Outcome, Sensitivity
from qviz.observers.base import OBSERVERS, Observer
from qviz.observers.manual import ManualObserver
from qviz.quantizers.base import QUANTIZERS, Mode
from qviz.ui.notices import plain

TRIED = "layers_tried"
MOST = 4  # that are shown, the newest first
PLAIN = "affine"  # the mode that goes without saying


@dataclass(frozen=True)
class Tried:
    """The setting in words, and what reached the output of the model under it."""

    setting: str
    outcome: Outcome


def setting(observer: Observer | None, codes: str, mode: Mode) -> str:
    """``keep [−5.57, 6.95], 8-bit unsigned affine``; no observer where qparams were typed."""
    words = [_rule(observer), codes]
    if QUANTIZERS.spell(mode) != PLAIN:
        words.append(str(QUANTIZERS.title_of(mode)))
    return ", ".join(words)


def _rule(observer: Observer | None) -> str:
    if observer is None:
        return "typed qparams"
    if isinstance(observer, ManualObserver):
        return f"keep [{number(observer.lo)}, {number(observer.hi)}]"
    return str(OBSERVERS.title_of(observer))


def remember(model: str, tensor: str, words: str, outcome: Outcome | None) -> None:
    """Keep what was tried for a tensor of the model listed as this, in place of earlier tries."""
    if outcome is None:
        return
    kept = st.session_state.setdefault(TRIED, {})
    kept.pop((model, tensor), None)  # the newest stands last
    kept[model, tensor] = Tried(words, outcome)


def tried(model: str) -> dict[str, Tried]:
    """The newest tries of a model by tensor, the newest first."""
    kept = reversed(st.session_state.get(TRIED, {}).items())
    return dict([(tensor, one) for (of, tensor), one in kept if of == model][:MOST])


def lines(model: str, cost: Sensitivity | None, names: Sequence[str]) -> None:
    """A caption for each; beside it what the tensor costs alone under the schemes of the page."""
    alone = {} if cost is None else {row.name: row.alone for row in cost.rows if not row.note}
    for name, one in tried(model).items():
        here = alone.get(name)
        st.caption(plain(tried_line(called(name, names), one.setting, one.outcome, here)))
