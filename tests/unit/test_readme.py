"""What the README shows works as it stands there."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

from qviz.cli.main import parser

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")
CHECK = """
import numpy as np, qviz
kept = qviz.observe(np.arange(101.0), "fences:reach=1")
assert (kept.lo[0], kept.hi[0]) == (-25, 125), kept
assert "fences" in qviz.OBSERVERS
"""


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


def test_the_notebook_example_gives_what_it_says():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted >= 8
    assert result.failed == 0


def test_the_observer_works_as_printed():
    (code,) = [block for block in blocks("python") if "@OBSERVERS.register" in block]
    done = subprocess.run(
        [sys.executable, "-c", code + CHECK],
        cwd=README.parent,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_pictures_and_documents_are_there():
    for target in re.findall(r"\]\((docs/[^)#]+)", TEXT):
        assert (README.parent / target).exists(), target


def test_every_command_is_known():
    shown = re.findall(r"^python -m qviz (\w+)", "\n".join(blocks("sh")), flags=re.MULTILINE)
    known = re.findall(r"^    (\w+)", parser().format_help(), flags=re.MULTILINE)
    assert len(shown) >= 8
    assert set(shown) <= set(known)
