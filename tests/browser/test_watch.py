"""The guard of every browser test notices what it is there for."""

import pytest

from tests.browser.screenshots import addresses
from tests.browser.serving import Watch, idle, outdated

PAGE_FILES = ("10_Learn.py", "2_Fake_quant.py", "1_Observers.py")


@pytest.fixture
def watched(context, server):
    """A page and its guard, without the fixture that fails the test."""
    page = context.new_page()
    watch = Watch(page, server)
    page.goto("/")
    idle(page)
    return page, watch


def soon(page, watch, said):
    for _ in range(50):
        if any(problem.startswith(said) for problem in watch.problems):
            return True
        page.wait_for_timeout(100)
    return False


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("console.error('broken')", "console: broken"),
        ("setTimeout(() => { throw new Error('broken') }, 0)", "page error: broken"),
        ("fetch('/media/nothing.png').then(() => 1)", "status 404: "),
        ("fetch('http://example.invalid/').catch(() => 1)", "asked another host: http:"),
        ("void new WebSocket('ws://example.invalid/x')", "asked another host: ws:"),
    ],
)
def test_notices(watched, script, said):
    page, watch = watched
    assert watch.problems == []
    page.evaluate(script)
    assert soon(page, watch, said)


def test_a_sub_page_opened_first_is_no_problem(context, server):
    page = context.new_page()
    watch = Watch(page, server)
    page.goto(list(addresses().values())[-1])
    idle(page)
    assert watch.problems == []


def test_notices_outdated_calls_in_the_server_output(tmp_path):
    log = tmp_path / "log.txt"
    log.write_text(
        "  URL: http://127.0.0.1:8501\n"
        "`st.use_container_width` will be removed after 2025-12-31.\n"
        "x.py:1: DeprecationWarning: old\n"
    )
    assert len(outdated(log)) == 2


def test_addresses_follow_the_numbers(tmp_path):
    (tmp_path / "pages").mkdir()
    for name in PAGE_FILES:
        (tmp_path / "pages" / name).touch()
    assert list(addresses(tmp_path).items()) == [
        ("home", "/"),
        ("observers", "/Observers"),
        ("fake-quant", "/Fake_quant"),
        ("learn", "/Learn"),
    ]
