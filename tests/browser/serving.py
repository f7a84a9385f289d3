"""The running app and the system's Chromium, for browser tests and screenshots."""

import itertools
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
START_S = 60
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AT_REST = """([call, still]) => {
    const working = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState
    const painted = !document.querySelector('[data-testid="stSkeleton"]')
        && [...document.querySelectorAll('[data-testid="stPlotlyChart"]')]
            .every(chart => chart.querySelector('.main-svg'))
    const now = performance.now()
    if (working !== 'notRunning' || !painted || window.restCall !== call) {
        window.restCall = call
        window.restSince = now
    }
    return now - window.restSince >= still
}"""
STILL_MS = 150  # a click takes a moment to reach the script
calls = itertools.count()


def chromium():
    """Path of the system's Chromium, None without one."""
    return shutil.which("chromium") or shutil.which("google-chrome")


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(log, root=ROOT):
    """Run the app of ``root`` on a free loopback port, output into ``log``; gives its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    words = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    words += [
        "--server.address=127.0.0.1",
        f"--server.port={port}",
        "--server.fileWatcherType=none",
    ]
    with (
        log.open("wb") as output,
        subprocess.Popen(words, cwd=root, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            wait_healthy(url, process, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_healthy(url, process, log):
    """Return once the server answers; RuntimeError with its output if it never does."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.1)
    raise RuntimeError(f"The app did not start:\n{log.read_text(errors='replace')}")


def idle(page):
    """Wait until the script has run and its charts are drawn; no exception may show.

    On a busy machine a page may count as idle for longer than a moment after a click: expect the
    outcome of the click first.
    """
    page.wait_for_function(AT_REST, arg=[next(calls), STILL_MS], timeout=60_000)
    expect(page.get_by_test_id("stException")).to_have_count(0)


class Watch:
    """Collects what must not happen in a page of the app at ``origin``, as sentences."""

    def __init__(self, page, origin):
        self.problems = []
        self.host = urlsplit(origin).netloc
        # Streamlit asks for these under a sub-page's address first, then at the root.
        self.harmless = re.compile(re.escape(origin) + r"/[^/]+/_stcore/(health|host-config)")
        page.on("console", self.console)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("response", self.response)
        page.on("request", lambda request: self.address(request.url))
        page.on("websocket", lambda socket: self.address(socket.url))

    def console(self, message):
        if message.type == "error" and not self.harmless.fullmatch(message.location["url"]):
            self.problems.append(f"console: {message.text}")

    def response(self, response):
        known = response.status == 404 and self.harmless.fullmatch(response.url)
        if response.status >= 400 and not known:
            self.problems.append(f"status {response.status}: {response.url}")

    def address(self, url):
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self.host:
            self.problems.append(f"asked another host: {url}")


def outdated(log):
    """Lines of the server's output that speak of something deprecated."""
    words = re.compile("deprecat|will be removed|FutureWarning", re.IGNORECASE)
    return [line for line in log.read_text(errors="replace").splitlines() if words.search(line)]
