"""The app without a browser: ways to read what stands on a page, and small files to open."""

import base64
import io
import json
import re
from functools import cache
from pathlib import Path

import numpy as np
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from qviz.observers.selection import default_observers
from qviz.pipeline import compare, with_channels
from qviz.quantizers.base import Target
from qviz.stats.stream import Stream
from qviz.ui.library import _samples
from tests.browser.serving import ROOT

APP = ROOT / "app.py"
OBSERVERS_PAGE = "1_Observers.py"
PAGES = sorted((ROOT / "pages").glob("*.py"))
SHOWN = re.compile(r"\\(.)")

# Each session would read the metadata of all installed packages again: a third of all time.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def started(page=OBSERVERS_PAGE, **query):
    """A session at an address with these parameters, after its first run; no page is Home."""
    at = AppTest.from_file(APP, default_timeout=60)
    at = at.switch_page(f"pages/{page}") if page else at
    at.query_params.update(query)
    return at.run()


def well(at):
    """The same session, after making sure that its last run raised nothing."""
    assert [error.message for error in at.exception] == []
    assert [warning.value for warning in at.warning if "Session State API" in warning.value] == []
    return at


def words(text):
    """Markdown as it is shown: without escapes and joiners."""
    return SHOWN.sub(r"\1", text).replace("\u2060", "")


def heading(at):
    """The finding above the picture."""
    found = [m.value for m in at.main.markdown if m.value.startswith("### ")]
    assert len(found) == 1
    return words(found[0].removeprefix("### "))


def caption(at):
    """What stands below the heading."""
    return words(at.main.caption[0].value)


def table(at):
    """The table of all rows, by observer."""
    found = [d.value for d in at.dataframe if "Observer" in d.value.columns]
    assert len(found) == 1
    return found[0].set_index("Observer")


def figures(at):
    """Specs of all charts on the page, by key."""
    return {chart.key: json.loads(chart.proto.spec) for chart in at.get("plotly_chart")}


def numbers(values):
    """Values of a trace, which travel as a list or as packed bytes."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return np.array(values, float)


def payload(at):
    """Bytes of all charts on the page."""
    return sum(len(chart.proto.spec) for chart in at.get("plotly_chart"))


def chosen(at):
    """Id of the tensor that is looked at."""
    return at.selectbox(key="tensor").value


def choose(at, tensor):
    """Pick a tensor."""
    return well(at.selectbox(key="tensor").set_value(tensor).run())


def press(at, key, value):
    """Press a button of a segmented control."""
    return well(at.segmented_control(key=key).set_value(value).run())


def upload(at, name, content):
    """Open a file through the uploader."""
    at.file_uploader[0].upload(name, content)
    return well(at.run())


def kept(at):
    """Files that the session keeps on disk."""
    folder = at.session_state.get("folder")
    return [] if folder is None else [p for p in Path(folder.name).rglob("*") if p.is_file()]


def sample(tensor):
    """A bundled or generated tensor by its id."""
    return _samples()[tensor].array()


def expected(x, target=None, *, observers=None, batch_axis=None, channel_axis=None):
    """The comparison that a page must show, straight from the pipeline."""
    target = target or Target.of()
    stream = Stream.of(x, target.granularity, batch_axis)
    listed = default_observers() if observers is None else observers
    return with_channels(compare(stream, listed, target), stream, channel_axis)


def npy(x):
    """Bytes of an .npy file."""
    stream = io.BytesIO()
    np.save(stream, x)
    return stream.getvalue()


def npz(**arrays):
    """Bytes of an .npz file."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def noise(seed, *shape):
    """Normal values, float32."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)
