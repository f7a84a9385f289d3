"""Sessions stay apart, stay small, and start without what is heavy."""

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.app.reading import APP, ROOT, chosen, noise, npy, npz, press, started, table, upload

WARM, RERUNS, EVERY, MOST = 30, 100, 10, 10 * 2**20


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


def test_the_elements_of_a_file_go_with_the_session():
    at = upload(started(), "mine.npz", npz(a=noise(1, 300, 300), b=noise(2, 9)))
    source, folder = at.session_state["opened"]["mine.npz"].source, at.session_state["folder"]
    held = weakref.ref(source["a"])
    assert held() is not None and Path(folder.name).is_dir()
    folder.cleanup()
    del at, source, folder
    gc.collect()
    assert held() is None


def test_the_folder_of_a_session_goes_with_it():
    at = upload(started(), "mine.npy", npy(noise(1, 32, 32)))
    folder = Path(at.session_state["folder"].name)
    assert folder.is_dir()
    with pytest.warns(ResourceWarning, match="Implicitly cleaning up"):
        del at
        gc.collect()
    assert not folder.exists()


def test_100_reruns_take_no_memory(open_app):
    at = open_app(tensor="teaching::relu")
    sizes = []
    for count in range(WARM + RERUNS + 1):
        press(at, "bits", (2, 4, 8)[count % 3])
        if count >= WARM and count % EVERY == 0:
            gc.collect()
            sizes.append(psutil.Process().memory_info().rss)
    slope = np.polyfit(np.arange(len(sizes)) * EVERY, sizes, 1)[0]
    assert sizes[-1] - sizes[0] <= MOST
    assert slope <= 20_000
