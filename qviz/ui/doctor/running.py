"""The model that a tensor was captured from, where it can run again for the gains at its output."""

from __future__ import annotations

from qviz.doctor.within import Within
from qviz.models.limits import Limits
from qviz.sources.captured.source import Captured
from qviz.ui.choice import Choice
from qviz.ui.files import new_folder, opened
from qviz.ui.layers.subject import Run, runs

SECONDS = 30.0  # of all runs together that one look may take


def run_of(choice: Choice) -> tuple[str, Run] | None:
    """How the model of the chosen tensor is listed, and how it was run; None without one.

    All batches must be looked at: what reaches the output comes of all of them.
    """
    source = choice.item.source
    if not isinstance(source, Captured) or choice.upto is not None or choice.batch_axis is not None:
        return None
    name = next((name for name, file in opened().items() if file.source is source), None)
    return None if name is None or name not in runs() else (name, runs()[name])


def within(choice: Choice) -> Within | None:
    """The same as what the doctor takes."""
    found = run_of(choice)
    if found is None:
        return None
    shown, run = found
    return Within(
        run.model, choice.item.source, choice.item.info.name, run.feeds, new_folder(),
        Limits(seconds=SECONDS), shown,
    )  # fmt: skip
