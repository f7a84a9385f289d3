"""Work in a thread."""

import threading

import pytest

from qviz.errors import QvizError
from qviz.models.work import Threaded


def test_it_tells_how_far_it_is_and_gives_what_came_of_it():
    go = threading.Event()

    def work(told):
        told(3, 8)
        begun.set()
        go.wait(10)
        return 5

    begun = threading.Event()
    job = Threaded(work)
    assert begun.wait(10) and job.progress == (3, 8) and not job.done
    go.set()
    assert job.result() == 5 and job.done and job.ran is None


def test_one_that_is_cancelled_goes_no_further():
    told_of, go, over = [], threading.Event(), threading.Event()

    def work(told):
        try:
            for at in range(3):
                told(at, 3)
                told_of.append(at)
                go.wait(10)
        finally:
            over.set()

    job = Threaded(work)
    job.cancel()
    assert job.done
    with pytest.raises(QvizError, match="stopped before its end"):
        job.result()
    go.set()
    assert over.wait(10) and told_of in ([], [0])


def test_nobody_holds_it():
    go, over = threading.Event(), []

    def work(told):
        go.wait(10)
        try:
            told(0, 1)
        finally:
            over.append(threading.current_thread())

    job = Threaded(work)
    thread = job._thread
    del job
    go.set()
    thread.join(10)
    assert over == [thread] and not thread.is_alive()


def test_why_it_failed():
    def work(told):
        raise QvizError("It is too large.")

    with pytest.raises(QvizError, match="too large"):
        Threaded(work).result()
