"""Limits that leave no room are told before anything is limited."""

import resource
import threading

import pytest

from qviz.errors import QvizError
from qviz.models.limits import Limits, limit_this_process


def test_no_room_for_the_runtime():
    before, threads = resource.getrlimit(resource.RLIMIT_AS), threading.active_count()
    with pytest.raises(QvizError, match=r"no room for the runtime in 0\.01 GiB.*--memory"):
        limit_this_process(Limits(round(0.01 * 2**30)))
    assert (resource.getrlimit(resource.RLIMIT_AS), threading.active_count()) == (before, threads)
