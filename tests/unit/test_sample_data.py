"""The bundled files open without torch, and every sentence said of them is true."""

import json
import math
import statistics
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest

from sample_data.catalogue import index
from sample_data.teaching import make_tensors
from tests.unit.samples import FILES, HERE, INDEX, load, says, sqnr, symmetric

NETWORKS = {"plain": "digits_cnn.safetensors", "twin": "digits_cnn_rescaled.safetensors"}
ERF = np.vectorize(math.erf, otypes=[np.float32])

# Bits and axis of the activations, axis of the 8-bit weights: columns of the README's table.
SETTINGS = ((8, None, None), (8, 1, 0), (4, None, 0))
ACCURACY = {
    ("plain", 397): (0.9924, 0.9899, 0.9899, 0.9773),
    ("twin", 397): (0.9924, 0.9597, 0.9899, 0.1259),
    ("plain", 128): (0.9922, 0.9844, 0.9766, 0.9688),
    ("twin", 128): (0.9922, 0.9531, 0.9766, 0.1484),
}


TEACHING = {name: x.astype(np.float64) for name, x in load("teaching.npz").items()}
CALIB = load("digits_calib.npz")


def affine(x):
    """Codes 0..255 and what they return, for a range that holds 0."""
    lo, hi = min(x.min(), 0), max(x.max(), 0)
    step = (hi - lo) / 255
    zero_point = np.rint(-lo / step)
    codes = np.clip(np.rint(x / step) + zero_point, 0, 255)
    return codes, (codes - zero_point) * step


def gain_of_clipping(x, bits):
    """What the best symmetric range gains in dB over the largest magnitude."""
    clips = np.abs(x).max() * np.linspace(0.02, 1, 300)
    best = max(sqnr(x, symmetric(x, bits, clip=clip)) for clip in clips)
    return best - sqnr(x, symmetric(x, bits))


def cost_of_symmetric(x):
    """What symmetric codes lose in dB against affine ones, 8 bits each."""
    return sqnr(x, affine(x)[1]) - sqnr(x, symmetric(x))


def conv3(x, weight, depthwise):
    """3 x 3 convolution with a border of zeros."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    if depthwise:
        return np.einsum("nchwij,cij->nchw", windows, weight[:, 0])
    return np.einsum("nchwij,ocij->nohw", windows, weight)


def column(vector):
    return vector.reshape(-1, 1, 1)


def norm(x, net, name):
    deviation = np.sqrt(column(net[f"{name}.running_var"]) + 1e-5)
    scaled = (x - column(net[f"{name}.running_mean"])) / deviation
    return scaled * column(net[f"{name}.weight"]) + column(net[f"{name}.bias"])


def forward(net, images, act=lambda x: x, weigh=lambda w: w):
    """Every stage of the network in plain NumPy, with quantizers of activations and weights."""
    w = {name: weigh(x) for name, x in net.items() if name.endswith("weight") and x.ndim > 1}
    bias = {name: column(net[f"{name}.bias"]) for name in ("conv1", "depthwise", "pointwise")}
    at = {"bn1": norm(conv3(act(images), w["conv1.weight"], False) + bias["conv1"], net, "bn1")}
    at["relu"] = act(np.maximum(at["bn1"], 0))
    filtered = conv3(at["relu"], w["depthwise.weight"], True) + bias["depthwise"]
    at["bn2"] = norm(filtered, net, "bn2")
    at["relu6"] = act(np.clip(at["bn2"], 0, 6))
    mixed = np.einsum("nchw,oc->nohw", at["relu6"], w["pointwise.weight"][:, :, 0, 0])
    mixed = mixed + bias["pointwise"]
    at["hard_swish"] = act(mixed * np.clip(mixed + 3, 0, 6) / 6)
    pooled = at["hard_swish"].reshape(-1, 16, 4, 2, 4, 2).max((3, 5)).reshape(-1, 256)
    hidden = pooled @ w["fc1.weight"].T + net["fc1.bias"]
    at["gelu"] = act(hidden * (1 + ERF(hidden / math.sqrt(2))) / 2)
    at["logits"] = at["gelu"] @ w["fc2.weight"].T + net["fc2.bias"]
    powers = np.exp(at["logits"] - at["logits"].max(1, keepdims=True))
    at["softmax"] = powers / powers.sum(1, keepdims=True)
    return at


def accuracy(net, images, labels, setting=None):
    """Share of right digits, in float or fake-quantized."""
    if setting is None:
        return np.mean(forward(net, images)["logits"].argmax(1) == labels)
    bits, act_axis, weight_axis = setting
    stages = forward(
        net,
        images,
        act=lambda x: symmetric(x, bits, act_axis),
        weigh=lambda w: symmetric(w, 8, weight_axis),
    )
    return np.mean(stages["logits"].argmax(1) == labels)


@pytest.fixture(scope="module")
def unseen():
    """The 397 images that training did not see, split as the generator does."""
    from sklearn.datasets import load_digits
    from sklearn.utils import shuffle

    digits = load_digits()
    images, labels = shuffle(digits.images, digits.target, random_state=0)
    return (images[1400:, None] / 16).astype(np.float32), labels[1400:]


# The index


def test_the_index_lists_exactly_the_files_of_the_folder():
    suffixes = {".npz", ".npy", ".safetensors", ".pt", ".onnx"}
    assert set(FILES) == {path.name for path in HERE.iterdir() if path.suffix in suffixes}
    assert sum((HERE / name).stat().st_size for name in FILES) < 840_000


def test_the_index_is_what_the_catalogue_writes():
    assert index(FILES["digits_cnn.pt"]["tensors"]) == INDEX
    keys = {"file", "about", "licence", "sidecar", "tensors"}
    assert all(set(entry) == keys for entry in FILES.values())
    assert all(entry["licence"].endswith(".") for entry in FILES.values())
    sidecars = {name: entry["sidecar"] for name, entry in FILES.items() if entry["sidecar"]}
    assert sidecars == {"codes_int8.npy": "codes_int8.json"}


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".pt")])
def test_the_index_names_every_tensor_of_a_file(name):
    arrays, said = load(name), FILES[name]["tensors"]
    assert set(arrays) == set(said)
    for tensor, entry in said.items():
        assert set(entry) == {"title", "about", "role", "batch_axis"}
        assert entry["role"] in ("weight", "activation", "bias", "unknown")
        assert entry["batch_axis"] is None or arrays[tensor].ndim > 1
        assert entry["title"] and len(entry["about"]) <= 84


@pytest.mark.slow  # trains the network, about six seconds
def test_the_generator_makes_the_files_again(tmp_path, unseen):
    command = [sys.executable, HERE / "make_samples.py", tmp_path]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {path.name for path in HERE.glob("*.*") if path.suffix not in (".py", ".md")} - {
        "minilm_acts.npz",
        "ppocr_acts.npz",
    }
    for name in ("teaching.npz", "digits_calib.npz", "codes_int8.npy"):
        before, after = load(name), load(name, tmp_path)
        assert list(before) == list(after)
        for tensor, x in before.items():
            np.testing.assert_allclose(after[tensor], x, rtol=1e-5, atol=1e-30, err_msg=tensor)
    for name in ("index.json", "codes_int8.json"):
        assert (tmp_path / name).read_text("utf-8") == (HERE / name).read_text("utf-8")
    images, labels = unseen
    for network, name in NETWORKS.items():
        right = accuracy(load(name, tmp_path), images, labels)
        assert right == pytest.approx(ACCURACY[network, 397][0], abs=0.01)
    before, after = load("digits_acts.npz"), load("digits_acts.npz", tmp_path)
    assert {name: x.shape for name, x in after.items()} == {n: x.shape for n, x in before.items()}


# The network


@pytest.mark.parametrize(("network", "count"), ACCURACY)
def test_accuracy_is_as_the_readme_says(network, count, unseen):
    images, labels = (part[:count] for part in unseen)
    net = load(NETWORKS[network])
    measured = [accuracy(net, images, labels, setting) for setting in (None, *SETTINGS)]
    expected = ACCURACY[network, count]
    assert measured == pytest.approx(expected, abs=2.1 / count)  # two images for other processors
    row = " | ".join([f"{network}, {count}", *(f"{share:.4f}" for share in expected)])
    assert f"| {row} |" in (HERE / "README.md").read_text(encoding="utf-8")


def test_what_is_said_of_the_networks():
    images, labels = CALIB["images"], CALIB["labels"]
    net, twin = (load(name) for name in NETWORKS.values())
    parameters = sum(x.size for name, x in net.items() if "running" not in name)
    right = accuracy(net, images, labels) * len(labels)
    about = FILES["digits_cnn.safetensors"]["about"]
    assert f"{parameters:,} parameters that reads {right:.0f} of {len(labels)} digits" in about
    about = FILES["digits_cnn_rescaled.safetensors"]["about"]
    factor = twin["bn1.weight"] / net["bn1.weight"]
    assert f"one ReLU channel {factor.max():.0f} times larger" in about
    share = 100 * accuracy(twin, images, labels, SETTINGS[2])
    assert int(about.split("read ")[1].split(" %")[0]) == pytest.approx(share, abs=2)


def test_the_twin_differs_in_one_channel_of_three_tensors_and_gives_the_same_logits():
    net, twin = (load(name) for name in NETWORKS.values())
    changed = {name: np.unique(np.nonzero(net[name] != twin[name])[0]).tolist() for name in net}
    changed = {name: channels for name, channels in changed.items() if channels}
    assert changed == {"bn1.weight": [3], "bn1.bias": [3], "depthwise.weight": [3]}
    plain, other = (forward(n, CALIB["images"])["logits"] for n in (net, twin))
    assert np.abs(plain - other).max() < 1e-5


def test_the_graph_runs_and_holds_the_same_tensors():
    path = HERE / "digits_cnn.onnx"
    onnx.checker.check_model(onnx.load(path), full_check=True)
    net, constants = load(NETWORKS["plain"]), load(path.name)
    assert all(np.array_equal(constants[name], x) for name, x in net.items())
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (logits,) = session.run(["logits"], {"images": CALIB["images"]})
    np.testing.assert_allclose(logits, forward(net, CALIB["images"])["logits"], atol=5e-5)
    np.testing.assert_allclose(logits[:16], load("digits_acts.npz")["logits"], atol=5e-5)


def test_the_state_dict_holds_the_same_tensors():
    torch = pytest.importorskip("torch")
    state = torch.load(HERE / "digits_cnn.pt", weights_only=True)
    net = load(NETWORKS["plain"])
    assert set(state) == set(net) == set(FILES["digits_cnn.pt"]["tensors"])
    assert all(np.array_equal(state[name].numpy(), x) for name, x in net.items())


def test_the_calibration_images_are_the_first_unseen_ones(unseen):
    images, labels = unseen
    assert CALIB["images"].dtype == np.float32 and CALIB["labels"].dtype == np.uint8
    assert CALIB["images"].shape == (128, 1, 8, 8)
    assert CALIB["images"].min() == 0 and CALIB["images"].max() == 1
    assert np.array_equal(CALIB["images"], images[:128])
    assert np.array_equal(CALIB["labels"], labels[:128])


def test_the_activations_are_those_of_the_first_images():
    acts = load("digits_acts.npz")
    expected = forward(load(NETWORKS["plain"]), CALIB["images"][:16])
    assert set(acts) == set(expected)
    for name, x in expected.items():
        assert acts[name].dtype == np.float32
        np.testing.assert_allclose(acts[name], x, atol=5e-5, err_msg=name)


def test_what_is_said_of_the_activations():
    acts = load("digits_acts.npz")
    assert acts["bn1"].min() < 0 < acts["bn1"].max()
    assert acts["relu"].min() == 0
    cut = f"{np.sum(acts['bn2'] > 6)} of {acts['bn2'].size:,} values lie above 6"
    assert cut in says("bn2", "digits_acts.npz")
    assert (acts["relu6"].min(), acts["relu6"].max()) == (0, 6)
    for name in ("hard_swish", "gelu"):
        bound = float(says(name, "digits_acts.npz").removesuffix(".").split()[-1])
        assert bound <= acts[name].min() < bound + 0.001
    assert np.array_equal(acts["logits"].argmax(1), CALIB["labels"][:16])
    np.testing.assert_allclose(acts["softmax"].sum(1), 1, atol=1e-6)


def test_the_codes_and_their_scale():
    codes = load("codes_int8.npy")["codes_int8"]
    sidecar = json.loads((HERE / "codes_int8.json").read_text(encoding="utf-8"))
    assert sidecar == {"scale": 0.03, "zero_point": 0}
    assert codes.dtype == np.int8
    assert np.std(codes * sidecar["scale"]) == pytest.approx(1, abs=0.03)
    about = says("codes_int8", "codes_int8.npy")
    assert about == f"{codes.size:,} stored codes; a code times {sidecar['scale']} is the value."


# The teaching tensors


def test_the_teaching_tensors_come_out_again():
    committed, made = load("teaching.npz"), make_tensors()
    assert list(committed) == list(made) and len(made) == 15
    for name, x in made.items():
        assert committed[name].dtype == x.dtype == np.float32
        np.testing.assert_allclose(committed[name], x, rtol=1e-5, atol=1e-30, err_msg=name)


def test_gaussian():
    x = TEACHING["gaussian"]
    assert 0.2 < gain_of_clipping(x, 8) < 0.3 and "within 0.3 dB" in says("gaussian")
    assert f"{gain_of_clipping(x, 4):.0f} dB off at 4" in says("gaussian")


def test_laplace():
    x = TEACHING["laplace"]
    assert f"{np.abs(x).max() / np.median(np.abs(x)):.0f} times" in says("laplace")
    assert f"clipping gains {gain_of_clipping(x, 4):.1f} dB" in says("laplace")


def test_relu():
    x = TEACHING["relu"]
    assert np.mean(x == 0) == 0.5 and x.min() == 0
    assert sqnr(x, symmetric(x)) == pytest.approx(41.2, abs=0.05)
    assert sqnr(x, affine(x)[1]) == pytest.approx(47.2, abs=0.05)
    assert f"lose {cost_of_symmetric(x):.0f} dB" in says("relu")


def test_gelu_tail():
    x = TEACHING["gelu_tail"]
    assert f"ends at {x.min():.2f}" in says("gelu_tail")
    assert f"lose {cost_of_symmetric(x):.0f} dB" in says("gelu_tail")


def test_bimodal():
    x = TEACHING["bimodal"]
    assert np.abs(x).min() > 0.4 and "within 0.4 of zero" in says("bimodal")
    assert np.mean(x > 0) == pytest.approx(0.5, abs=0.01)


def test_outlier_channel():
    x = TEACHING["outlier_channel"]
    normal = statistics.NormalDist().inv_cdf
    values = np.array([normal((k * 2731 % 8192 + 0.5) / 8192) for k in range(8192)])
    expected = values.reshape(128, 64) * np.where(np.arange(64) == 7, 60, 1)
    np.testing.assert_allclose(x, expected, rtol=1e-6)
    returned = symmetric(x)
    assert sqnr(x, returned) == pytest.approx(25.8, abs=0.05)
    used = len(np.unique(np.delete(returned, 7, axis=1)))
    assert f"Channel 7 sets the step: the other 63 channels share {used} codes." == says(
        "outlier_channel"
    )


def test_mixed_weight_ranges():
    x = TEACHING["mixed_weight_ranges"]
    returned = symmetric(x)
    gone = np.sum(~returned.any(axis=(1, 2, 3)))
    assert f"{gone} of {len(x)} filters become 0" in says("mixed_weight_ranges")
    assert f"keeps {sqnr(x, returned):.1f} dB" in says("mixed_weight_ranges")


def test_narrow_far():
    codes, _ = affine(TEACHING["narrow_far"])
    assert f"{len(np.unique(codes))} of 256 codes" in says("narrow_far")


def test_softmax():
    x = TEACHING["softmax"]
    np.testing.assert_allclose(x.sum(1), 1, atol=1e-6)
    assert f"{100 * np.mean(affine(x)[0] == 0):.0f} % of the values" in says("softmax")


def test_masked_scores():
    x = TEACHING["masked_scores"]
    masked = np.triu(np.ones((64, 64), bool), 1)
    assert np.all(x[masked] == -10_000) and np.abs(x[~masked]).max() < 10
    assert len(np.unique(affine(x)[0][~masked])) == 1 and "share one code" in says("masked_scores")


def test_non_finite():
    x = TEACHING["non_finite"].ravel()
    nan, infinite, first = np.isnan(x).sum(), np.isinf(x).sum(), np.argmin(np.isfinite(x))
    counts = f"{nan} NaN and {infinite} infinite values among {x.size:,}"
    assert says("non_finite") == f"{counts}, the first at flat index {first}."


def test_dead_channel():
    step = np.abs(TEACHING["dead_channel"]).max(1) / 127
    assert step[0] == 0 and step[1:].min() > 0
    assert np.flatnonzero(step.astype(np.float16) == 0).tolist() == [0, 1]
    assert "step of channel 1 is 0 in float16" in says("dead_channel")


def test_constant():
    x = TEACHING["constant"]
    assert np.all(x == 2) and f"All {x.size:,} values are 2" in says("constant")


def test_drifting_batches():
    x = TEACHING["drifting_batches"]
    top = np.abs(x).max(1)
    assert x.shape == (12, 512) and np.all(np.diff(top) > 0)
    average = x[0].max()
    for batch in x[1:]:
        average += 0.01 * (batch.max() - average)
    assert f"{len(x)} batches grow from {top[0]:.0f} to {top[-1]:.0f}" in says("drifting_batches")
    assert f"stands at {average:.2f}" in says("drifting_batches")
    said = FILES["teaching.npz"]["tensors"]
    assert [name for name in said if said[name]["batch_axis"] == 0] == ["drifting_batches"]


def test_rare_peaks():
    x = TEACHING["rare_peaks"]
    peaks = x[x > 0.5]
    share = 100 * np.sum(peaks**2) / np.sum(x**2)
    assert x[x <= 0.5].max() < 0.1
    assert f"{peaks.size} of {x.size:,} values hold {share:.0f} %" in says("rare_peaks")
