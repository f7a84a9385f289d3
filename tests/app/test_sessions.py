"""Sessions stay apart, stay small, and start without what is heavy."""

import subprocess
import sys

import numpy as np
import psutil

from tests.app.reading import APP, ROOT, chosen, noise, npy, press, table, upload

WARM, RERUNS, MOST = 30, 100, 10 * 2**20


def test_the_first_run_does_not_import_torch():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        f"at = AppTest.from_file({str(APP)!r}, default_timeout=60).run();"
        "print(len(at.dataframe), len(at.exception), 'torch' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["2", "0", "False"]


def test_two_sessions_with_a_file_of_one_name_do_not_meet(open_app):
    x, y = noise(1, 32, 32), 5 * noise(2, 32, 32)
    one, two = (upload(open_app(), "mine.npy", npy(values)) for values in (x, y))
    for at, values in ((one, x), (two, y), (one, x)):
        assert chosen(at) == "mine.npy"
        at.run()
        assert table(at).loc["MinMax", "Upper"] == values.max()
    stranger = open_app()
    assert not any("mine" in option for option in stranger.selectbox(key="tensor").options)


def test_a_name_in_the_address_opens_no_file_of_another_session(open_app):
    upload(open_app(), "mine.npy", npy(noise(1, 32, 32)))
    stranger = open_app(tensor="mine.npy")
    assert chosen(stranger) != "mine.npy" and len(stranger.info) == 1


def test_100_reruns_take_no_memory(open_app):
    at = open_app(tensor="teaching::relu")
    sizes = []
    for count in range(WARM + RERUNS):
        press(at, "bits", (2, 4, 8)[count % 3])
        if count >= WARM:
            sizes.append(psutil.Process().memory_info().rss)
    slope = np.polyfit(np.arange(len(sizes)), sizes, 1)[0]
    assert sizes[-1] - sizes[0] <= MOST
    assert slope <= 50_000
