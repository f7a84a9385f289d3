"""Activations of trained networks: small, real in shape, and as loud as is said of them."""

import re

import numpy as np
import pytest

from qviz.sources.folder import open_bundled
from tests.unit.samples import FILES, HERE, load, says, sqnr, symmetric

REAL = {  # tensor: file, shape, axis of the channels, loudest ones, their axis in the file
    "layer0.residual": ("minilm_acts.npz", (4, 32, 384), 2, [99]),
    "layer4.residual": ("minilm_acts.npz", (4, 32, 384), 2, [223, 127, 99]),
    "block2.hard_swish": ("ppocr_acts.npz", (4, 32, 16, 48), 1, [28, 22, 9]),
}
README = (HERE / "README.md").read_text(encoding="utf-8")


def loudness(name):
    """The tensor in float64, and each channel's largest magnitude against the median channel's."""
    file, shape, axis, _ = REAL[name]
    x = load(file)[name].astype(np.float64)
    top = np.abs(np.moveaxis(x, axis, 0).reshape(shape[axis], -1)).max(1)
    return x, top / np.median(top)


def rounded_away(x, axis, bits):
    """Codes of 0 with one step for all: share of the values, and channels of nothing else."""
    codes = np.moveaxis(symmetric(x, bits), axis, 0).reshape(x.shape[axis], -1)
    return np.mean(codes == 0), np.sum(~codes.any(1))


@pytest.mark.parametrize("name", REAL)
def test_shape_type_and_size(name):
    file, shape, _, _ = REAL[name]
    x = load(file)[name]
    assert x.shape == shape and x.dtype == np.float16
    assert np.isfinite(x).all() and len(np.unique(x)) > 5000
    assert (HERE / file).stat().st_size <= 300_000


@pytest.mark.parametrize("name", REAL)
def test_the_outlier_channels_stand_out_in_every_batch(name):
    _, shape, axis, loudest = REAL[name]
    x, ratio = loudness(name)
    assert np.argsort(-ratio)[: len(loudest)].tolist() == loudest
    assert ratio.max() >= 6 and np.percentile(ratio, 75) < 4  # a few channels, not all
    batches = np.abs(np.moveaxis(x, axis, 1).reshape(4, shape[axis], -1)).max(2)
    assert (batches[:, loudest[0]] >= 6 * np.median(batches, 1)).all()


@pytest.mark.parametrize("name", REAL)
def test_the_table_of_the_readme(name):
    _, shape, axis, loudest = REAL[name]
    x, ratio = loudness(name)
    whole, parts = sqnr(x, symmetric(x)), sqnr(x, symmetric(x, axis=axis))
    cells = (
        f"`{name}`",
        ", ".join(map(str, loudest)),
        ", ".join(f"{ratio[channel]:.0f}" for channel in loudest),
        f"{whole:.1f} ({parts:.1f})",
        f"{100 * rounded_away(x, axis, 8)[0]:.0f} %",
        f"{rounded_away(x, axis, 4)[1]} of {shape[axis]}",
    )
    assert f"| {' | '.join(cells)} |" in README


def test_what_the_index_says():
    x, ratio = loudness("layer0.residual")
    said = says("layer0.residual", "minilm_acts.npz")
    assert f"Channel 99 reaches {ratio[99]:.0f} times" in said
    assert f"one 8-bit step makes {100 * rounded_away(x, 2, 8)[0]:.0f} % zero" in said
    _, ratio = loudness("layer4.residual")
    said = says("layer4.residual", "minilm_acts.npz")
    assert f"223 and 127 reach {ratio[223]:.0f} and {ratio[127]:.0f} times" in said
    x, ratio = loudness("block2.hard_swish")
    said = says("block2.hard_swish", "ppocr_acts.npz")
    assert f"Channel 28 reaches {ratio[28]:.0f} times" in said
    assert f"one 4-bit step makes {rounded_away(x, 1, 4)[1]} of 32 channels 0" in said


def test_where_the_peaks_stand():
    first, later = (np.abs(load("minilm_acts.npz")[f"layer{n}.residual"]) for n in (0, 4))
    assert first[:, :, 99].argmax(1).tolist() == [0, 0, 0, 0]
    inside = later[:, :, [223, 127]].argmax(1)
    assert (inside > 0).all() and (inside < 31).all()


def test_the_hard_swish_has_a_floor():
    x = load("ppocr_acts.npz")["block2.hard_swish"]
    assert -0.8 < x.min() < 0 and x.max() > 100


@pytest.mark.parametrize("name", REAL)
def test_the_app_lists_them_with_role_and_batches(name):
    file, shape, _, _ = REAL[name]
    info = open_bundled(HERE)[file].info(name)
    assert (info.role, info.batch_axis, info.shape) == ("activation", 0, shape)
    assert info.title and info.about and "Apache-2.0" in FILES[file]["licence"]


def test_the_readme_names_what_the_script_needs():
    script = (HERE / "real_activations.py").read_text(encoding="utf-8")
    (pins,) = re.findall(r"pip install --no-deps (.+)", script)
    assert f"pip install --no-deps {pins}" in README
    assert all(pin.replace("==", " ") in README for pin in pins.split())
