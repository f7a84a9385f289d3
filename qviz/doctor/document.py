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
undone channel by channel; what it would gain is told as analysis. So it is where the role is not
known, unless the tensor may be a weight.

    python -m qviz doctor model.onnx::relu --inputs calib.npz --bits 4 --signed --symmetric

runs the model for each way out, with this tensor replaced and all else in float; of all tensors of
a file together for 120 s, then gains are those without it, and stderr says so. On the page the
same happens for tensors of a network that was run on Layers.

What belongs to a tensor may be given with it, each as `FILE[::TENSOR]`:

| option | what it brings |
|---|---|
| `--operand FILE` | the product's other tensor: gains count at the product, 16-bit sums too |
| `--operand-axis N` | which of its axes is added up, where both fit |
| `--bias FILE --input-scale S` | the layer's bias, one for each output, and the step of its input |
| `--codes FILE --scale S --zero-point Z` | the codes that were stored for these values |
| `--importance FILE` | weights of the elements, or one for each column |
| `--symmetric-only` | the target knows no zero points |
| `--role weight` | or `activation`, `bias`: what FILE is, where its source does not say |
| `--stored-as FORMAT` | values are cast to it: `float8_e4m3fn`, `mxfp4_e2m1` and their kin |

A setting that cannot serve is no finding: exit status 2 for one tensor, or for several where it
serves none; else a line at that tensor (on stderr with `--json`). Rules that could not look are not
counted, and say why. Of vectors in a model, which stay wide, only NON-FINITE is asked; name one to
ask every rule. Rules of float8 and of MX blocks look only where a format is named; their gains are
measured on the tensor, against torch's cast or scales that are rounded down.

Ranges and errors are those of all elements; of channels of large tensors ranges are of all
elements, errors of a sample of at least 64 in each.

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
