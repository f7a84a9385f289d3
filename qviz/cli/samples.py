"""``samples``: what there is to start from without a file of one's own."""

from __future__ import annotations

from typing import Any

from qviz.cli.inputs import FOLDER, SAMPLE, SPLIT
from qviz.cli.text import plain, table
from qviz.sources.base import TensorSource
from qviz.sources.folder import bundled, open_bundled
from qviz.sources.synthetic import Samples


def add(commands: Any) -> None:
    """Add the command."""
    words = "List the samples; compare one of them with: qviz compare sample:NAME"
    commands.add_parser("samples", help=words, description=words).set_defaults(run=run)


def run(options: object) -> int:
    """Print one line per tensor; files that need torch are named as a whole."""
    rows, opened = _rows(Samples(), SAMPLE), open_bundled(FOLDER)
    for name in bundled(FOLDER):
        word = SAMPLE + name
        rows += _rows(opened[name], word + SPLIT) if name in opened else [(word, "", "")]
    print(table(("sample", "shape", "about"), rows, left=3))
    return 0


def _rows(source: TensorSource, prefix: str) -> list[tuple[str, str, str]]:
    return [
        (prefix + info.name, " x ".join(map(str, info.shape)), plain(info.about))
        for info in source.infos.values()
    ]
