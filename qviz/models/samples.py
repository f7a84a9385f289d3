"""The bundled networks, captured on the bundled images."""

from __future__ import annotations

from pathlib import Path

from qviz.errors import UnknownName
from qviz.models.feeds import Feeds
from qviz.models.jobs import Job, start
from qviz.sources.captured.source import Captured

FOLDER = Path(__file__).parents[2] / "sample_data"
IMAGES = "digits_calib.npz"
SAMPLES = {"digits_cnn": "Digits CNN", "digits_cnn_rescaled": "Digits CNN, rescaled twin"}


def sample_feeds(name: str) -> tuple[Path, Feeds]:
    """The model of a sample, and the images that go in: 4 batches of 32.

    Raises
    ------
    UnknownName
        No sample has this name.
    """
    if name not in SAMPLES:
        raise UnknownName(f"No network is called {name!r}.", "", f"Known: {', '.join(SAMPLES)}.")
    return FOLDER / f"{name}.onnx", Feeds(FOLDER / IMAGES)


def start_sample(name: str, folder: Path) -> Job[Captured]:
    """Start the capture of a bundled network."""
    return start(*sample_feeds(name), folder)


def capture_sample(name: str, folder: Path) -> Captured:
    """A bundled network, captured on the 128 bundled images."""
    return start_sample(name, folder).result()
