"""A running app and a page that fails its test when anything goes wrong in the browser."""

import os

import pytest

from tests.browser.serving import FLAGS, Watch, chromium, idle, outdated, serving


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    program = chromium()
    if not program:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("needs a system Chromium")
    return {**browser_type_launch_args, "executable_path": program, "args": list(FLAGS)}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}}


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Address of the running app."""
    log = tmp_path_factory.mktemp("server") / "output.txt"
    with serving(log) as url:
        yield url
    assert outdated(log) == []


@pytest.fixture(scope="session")
def base_url(server):
    """Lets tests write ``page.goto("/Observers")``."""
    return server


@pytest.fixture
def page(page, server):
    """A page without console errors, failed requests or requests to other hosts."""
    watch = Watch(page, server)
    yield page
    assert watch.problems == []


@pytest.fixture
def app(page):
    """The Observers page, opened and idle."""
    page.goto("/Observers")
    idle(page)
    return page
