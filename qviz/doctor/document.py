"""All rules as a table in Markdown, from what each registers."""

from __future__ import annotations

from collections.abc import Iterator

from qviz.doctor.base import FROM, LEVELS, RULES

COMMAND = "python -m qviz doctor --rules > docs/doctor.md"
HEAD = """# Doctor

Every rule that `python -m qviz doctor FILE` asks, from what each registers. Written by
`{command}`.

A finding is a sentence with the number and the threshold, evidence, and fixes that were tried:
each with the gain it was measured to have, and where. That is the **output** where the model can
be run or the tensor's other operand is loaded, else the **quiet channels** where some channels set
the step of all or lie far below all others, else the **tensor** itself. A gain on the quiet
channels that costs the whole tensor over 0.5 dB is none. What gains nothing is not offered, but
listed as tried. On an activation no step per channel is offered: a sum over channels cannot be
undone channel by channel; what it would gain is told as analysis.

    python -m qviz doctor model.onnx::relu --inputs calib.npz --bits 4 --signed --symmetric

runs the model for each way out, with this tensor replaced and all else in float. On the page the
same happens for tensors of a network that was run on Layers.

Severity is the gain of the first fix: {levels} dB; below that it is a
note. Notes marked *expected* say that a rule does what it is meant to do.

| rule | what | fires when | severity from | reports |
|---|---|---|---|---|
"""


def markdown() -> str:
    """The whole text, with a line break at its end."""
    levels = ", ".join(f"{level} from {FROM[level]:g}" for level in LEVELS if level in FROM)
    return HEAD.format(command=COMMAND, levels=levels) + "\n".join(_rows()) + "\n"


def _rows() -> Iterator[str]:
    for name in RULES:
        entry = RULES.entry(name)
        reports = ", ".join(entry.notes["reports"])
        cells = (f"`{name}`", entry.title, entry.notes["fires"], entry.notes["rated"], reports)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
