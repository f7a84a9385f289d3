"""Why a child failed, told from its status and its last words; and that it ends with its parent."""

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qviz.models.asking import Asking
from qviz.models.children import error_of
from qviz.models.feeds import Feeds
from qviz.models.jobs import start
from qviz.models.limits import MORE_MEMORY, MORE_TIME, Limits
from tests.browser.serving import ROOT
from tests.unit.models.test_jobs import slow

LIMITS = Limits(3 * 2**30, 7.0)
TRACE = 'batch 0 of 4\nTraceback (most recent call last):\n  File "/a/b.py", line 1, in <module>\n'
OWN = "The run ended with an error inside qviz"
BROKEN = "It may have asked for more memory than the 3 GiB it may have."
MEMORY = "The model asked for more memory than the 3 GiB it may have."
LONG = "The model was stopped after 7 seconds"
ENDED = "The run was ended from outside. The system may be short of memory."
CASES = [
    (1, TRACE + "ImportError: cannot import name 'a' from '/x/y.py'\n", f"{OWN}: ImportError."),
    (1, TRACE + "a.b.Odd\n", f"{OWN}: Odd."),
    (1, TRACE + "MemoryError\n", MEMORY),
    (1, TRACE + "numpy._core._exceptions._ArrayMemoryError: Unable to allocate\n", MEMORY),
    (1, TRACE + "ImportError: libx.so: failed to map segment from shared object\n", MEMORY),
    (-6, "terminate called after throwing an instance of 'std::bad_alloc'\n", MEMORY),
    (-11, "", f"The runtime broke down (SIGSEGV). {BROKEN}"),
    (-6, "batch 0 of 4\n", f"The runtime broke down (SIGABRT). {BROKEN}"),
    (-9, "batch 0 of 4\n", ENDED),
    (-24, "batch 0 of 4\n", f"{LONG}; no step was finished. It may loop without end."),
    (-24, "batch 0 of 4\nbatch 3 of 4\n", f"{LONG} with 3 of 4 steps done."),
    (3, "", f"{OWN}: status 3."),
    (2, "qviz: No.\nqviz: Nothing is called 'a'.\n", "Nothing is called 'a'."),
]


@pytest.mark.parametrize(("status", "said", "words"), CASES)
def test_the_end_of_a_child_is_told_in_a_sentence(status, said, words):
    error = error_of(status, said, LIMITS, late=False)
    assert f"{error.what} {error.why}".strip() == words


def test_what_to_do_is_apart():
    for do in (MORE_TIME, MORE_MEMORY):
        error = error_of(2, f"qviz: It was too much. {do}\n", LIMITS, late=False)
        assert (error.what, error.do) == ("It was too much.", do)
    late = error_of(-9, "", LIMITS, late=True)
    assert late.what.startswith(LONG) and late.do == MORE_TIME


def gone(pid):
    """Whether the process ends within half a minute, long before its own time is over."""
    for _ in range(300):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0]
        except OSError:
            return True
        if state == "Z":  # ended; nobody has asked for its status yet
            return True
        time.sleep(0.1)
    return False


def at_work(job):
    """Wait until the model runs, and its child has come to hold to its limits."""
    while not job.progress[1]:
        time.sleep(0.05)


def test_a_child_ends_when_nobody_holds_its_job(tmp_path):
    job = start(slow(tmp_path), Feeds(), tmp_path, Limits(seconds=60.0))
    at_work(job)
    pid = job.child.pid
    del job
    gc.collect()
    assert gone(pid)


WAITS = """
import sys, time
from pathlib import Path
from qviz.models.{module} import {name}
from qviz.models.feeds import Feeds
from qviz.models.limits import Limits
from tests.unit.models.test_children import at_work
if "{name}" == "start":
    job = start(Path(sys.argv[1]), Feeds(), Path(sys.argv[2]), Limits(seconds=60.0))
    at_work(job)
    child = job.child
else:
    import qviz.models.asking as asking
    spawned = asking.spawn
    def spawn(*words, **how):
        child = spawned(*words, **how)
        time.sleep(3)  # it loads its runtime
        print(child.pid, flush=True)
        return child
    asking.spawn = spawn
    Asking(Path(sys.argv[1]), Feeds(), "x0", Path(sys.argv[2]), Limits(seconds=60.0))
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(("module", "name"), [("jobs", "start"), ("asking", "Asking")])
def test_a_child_ends_when_its_parent_is_killed(module, name, tmp_path):
    words = [sys.executable, "-c", WAITS.format(module=module, name=name)]
    model = slow(tmp_path)
    with subprocess.Popen(
        [*words, str(model), str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        pid = int(parent.stdout.readline())
        os.kill(pid, 0)  # it lives
        os.kill(parent.pid, signal.SIGKILL)
    assert gone(pid)


def test_a_look_that_fails_advises_nothing_that_nobody_can_set(tmp_path):
    with pytest.raises(Exception, match="stopped after 2 seconds") as failure:
        Asking(slow(tmp_path), Feeds(), "x0", tmp_path, Limits(seconds=2.0))
    assert "--" not in str(failure.value) and "no step was finished" in str(failure.value)
