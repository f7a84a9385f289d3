"""L13 to L15: models that are run. Each ends in a sentence, within its limits, in its own child."""

import json
import resource
import subprocess
import sys
import time

import numpy as np
import onnx
import pytest

from qviz.errors import QvizError
from qviz.models.feeds import Feeds
from qviz.models.jobs import start
from qviz.models.limits import Limits
from tests.browser.serving import ROOT
from tests.security.test_limits import WORDS_OF_FEAR
from tests.security.test_onnx import external
from tests.unit.models.graphs import node, value, written
from tests.unit.models.test_jobs import slow

MEMORY, SOON, SECONDS = 2 * 2**30, 2.0, 30.0  # what ends by itself may take long on a busy machine


def bomb(size):
    return lambda path: written(path, [node("ConstantOfShape", "s", "b")], (), ["b"], s=size)


def tile(path):
    nodes = [node("Tile", "x r", "y")]
    return written(path, nodes, [value("x", [2])], ["y"], r=np.array([2**29]))


def many(path):
    """Values that fit one by one, but not together."""
    nodes = [node("Expand", "x s", f"y{at}") for at in range(12)]
    return written(path, nodes, [value("x", [1])], ["y0"], s=np.array([2**26]))


def cycle(path):
    return written(path, [node("Neg", "b", "a"), node("Neg", "a", "b")], (), ["b"])


def foreign(path):
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node("Relu", "w", "y")], "g", [], [], [external()])
    )
    path.write_bytes(model.SerializeToString())
    return path


def in_a_body(path):
    """External data inside a branch."""
    inner = onnx.helper.make_graph(
        [node("Neg", "w", "p")], "b", [], [value("p", None)], [external()]
    )
    nodes = [node("If", "c", "y", then_branch=inner, else_branch=inner)]
    return written(path, nodes, (), ["y"], c=np.array(True))


def markup(path):
    """A name with markup and control characters, and an operation that does not exist."""
    name = "<img src=x onerror=alert(1)>\x1b[31m\n"
    nodes = [onnx.helper.make_node("NoSuch", [name], ["y"], name=name)]
    return written(path, nodes, [value(name, [1])], ["y"])


CASES = {
    "bomb": (bomb(np.array([2**33])), "memory"),
    "vast bomb": (bomb(np.array([2**60])), "memory"),
    "tile": (tile, "memory|supported maximum"),
    "many": (many, "memory|stopped after"),
    "cycle": (cycle, "acyclic"),
    "markup": (markup, "does not take"),
    "loop": (lambda path: slow(path.parent).rename(path), "stopped after 2 seconds"),
    "external": (foreign, "another file"),
    "external in a branch": (in_a_body, "another file"),
    "empty": (lambda path: path.touch() or path, "no ONNX model"),
    "no nodes": (lambda path: written(path, [], w=np.ones(3)), "no graph"),
    "noise": (
        lambda path: path.write_bytes(b"\x08\x07" * 400) and path,
        "damaged|no ONNX|no graph",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_model_ends_in_a_sentence(name, tmp_path):
    make, words = CASES[name]
    path, began = make(tmp_path / "bad.onnx"), time.monotonic()
    seconds = SOON if name == "loop" else SECONDS
    with pytest.raises(QvizError, match=words) as failure:
        start(path, Feeds(), tmp_path, Limits(MEMORY, seconds)).result()
    assert time.monotonic() - began < seconds + 20
    text = str(failure.value)
    assert len(text) < 600 and str(tmp_path) not in text and "\x1b" not in text
    assert not any(word in text for word in WORDS_OF_FEAR)
    assert not (tmp_path / "capture.npz").exists()


def test_children_stay_within_their_address_space():
    """All children so far, those of other tests of this process too."""
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    assert peak < 4 * 2**30


def test_the_limits_hold_in_the_process_that_runs():
    code = (
        "import json, resource\n"
        "from qviz.models.limits import Limits, limit_this_process\n"
        "limit_this_process(Limits(3 * 2**30, 7))\n"
        "kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_CORE)\n"
        "print(json.dumps([resource.getrlimit(kind) for kind in kinds]))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(ended.stdout) == [[3 * 2**30] * 2, [14, 14], [0, 0]]
