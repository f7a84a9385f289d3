"""What holds for every test: fixed examples, one torch thread, second tries in the browser."""

import gc
import sys

import pytest
from hypothesis import settings

RERUNS = 2  # of a browser test: on a busy machine a click can come while the page is drawn anew

gc.disable()  # until all tests are collected: what is made meanwhile stays

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("fixed")


def pytest_addoption(parser):
    parser.addoption("--looks", action="store_true", help="every page in every theme and width")


def pytest_collection_modifyitems(config, items):
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=RERUNS))
    if not config.getoption("--looks"):
        left_out = [item for item in items if item.get_closest_marker("looks")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish():
    gc.collect()
    gc.freeze()  # later collections leave thousands of tests and all modules alone
    gc.enable()


def pytest_runtest_setup():
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)  # sums then come out the same on every machine
