"""What ``index.json`` says of each file and tensor. Tests hold every sentence to be true.

``index.json`` is ``{"files": [file, ...]}`` in the order of a menu. A file is
``{"file", "about", "licence", "sidecar", "tensors"}``: its name, one sentence, where it comes
from, the file with the scale and zero point of its codes or null, and
``{tensor: {"title", "about", "role", "batch_axis"}}``. ``about`` is one sentence or empty,
``role`` is weight, activation, bias or unknown; slices along ``batch_axis`` are batches, null
where there are none. The tensor of a ``.npy`` file has the file's stem as name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Entry = dict[str, Any]

OWN = "Made by this project."
DIGITS = (
    "Images from scikit-learn's load_digits (BSD-3-Clause): Optical Recognition of Handwritten "
    "Digits, E. Alpaydin and C. Kaynak, UCI archive (CC BY 4.0)."
)

MINILM = "Weights of all-MiniLM-L6-v2 (Apache-2.0); the texts are this project's."
PPOCR = "Weights of the PP-OCRv4 text detector (Apache-2.0); the images are this project's."

TEACHING = {
    "gaussian": (
        "weight",
        "Gaussian weights",
        "Clipping nothing is within 0.3 dB of the best range at 8 bits, but 3 dB off at 4.",
    ),
    "laplace": (
        "activation",
        "Heavy tails",
        "The largest value is 12 times the typical one: at 4 bits, clipping gains 3.5 dB.",
    ),
    "relu": (
        "activation",
        "ReLU output",
        "Half of the values are 0, none is negative: symmetric codes lose 6 dB.",
    ),
    "gelu_tail": (
        "activation",
        "GELU output",
        "The negative side ends at −0.17: symmetric codes lose 6 dB on it.",
    ),
    "bimodal": (
        "weight",
        "Two peaks",
        "No value lies within 0.4 of zero, yet zero must be a level.",
    ),
    "outlier_channel": (
        "activation",
        "One loud channel",
        "Channel 7 sets the step: the other 63 channels share 7 codes.",
    ),
    "mixed_weight_ranges": (
        "weight",
        "Depthwise weights",
        "One step for all: 7 of 32 filters become 0 while the whole keeps 38.6 dB.",
    ),
    "narrow_far": (
        "activation",
        "Narrow band at 1000",
        "Far from zero: 3 of 256 codes are used.",
    ),
    "softmax": (
        "activation",
        "Softmax rows",
        "Every row sums to 1; at 8 bits 71 % of the values become 0.",
    ),
    "masked_scores": (
        "activation",
        "Masked scores",
        "The mask of −10,000 sets the step: all other scores share one code.",
    ),
    "non_finite": (
        "activation",
        "NaN and infinity",
        "3 NaN and 2 infinite values among 1,024, the first at flat index 100.",
    ),
    "dead_channel": (
        "weight",
        "Dead channel",
        "Channel 0 is all zero; the step of channel 1 is 0 in float16.",
    ),
    "constant": ("activation", "Constant", "All 4,096 values are 2: a range without width."),
    "drifting_batches": (
        "activation",
        "Drifting batches",
        "12 batches grow from 1 to 4; an average with constant 0.01 still stands at 1.17.",
    ),
    "rare_peaks": (
        "activation",
        "Rare peaks",
        "4 of 8,192 values hold 45 % of the energy: few to clip, much to lose.",
    ),
}

STAGES = {
    "bn1": ("First batch norm", "Both signs, as before a ReLU."),
    "relu": ("ReLU", "No value is negative."),
    "bn2": ("Second batch norm", "4 of 8,192 values lie above 6, where ReLU6 cuts."),
    "relu6": ("ReLU6", "No value is below 0 or above 6."),
    "hard_swish": ("Hard swish", "No value is below −0.375."),
    "gelu": ("GELU", "No value is below −0.17."),
    "logits": ("Logits", "The largest of each row is the digit."),
    "softmax": ("Softmax", "Every row sums to 1."),
}


RESIDUALS = {
    "layer0.residual": (
        "Residual sum, layer 0",
        "Channel 99 reaches 126 times the median channel: one 8-bit step makes 82 % zero.",
    ),
    "layer4.residual": (
        "Residual sum, layer 4",
        "Channels 223 and 127 reach 43 and 32 times what the median channel does.",
    ),
}
SWISH = (
    "Hard swish, block 2",
    "Channel 28 reaches 23 times the median: one 4-bit step makes 22 of 32 channels 0.",
)


def index(state_names: Iterable[str]) -> Entry:
    """The content of ``index.json``; ``state_names`` are the network's tensors."""
    state = {name: _tensor(_role(name), name, "") for name in state_names}
    return {"files": [_teaching(), *_real(), *_networks(state), *_data(), _codes()]}


def _tensor(role: str, title: str, about: str, batch_axis: int | None = None) -> Entry:
    return {"title": title, "about": about, "role": role, "batch_axis": batch_axis}


def _file(name: str, about: str, licence: str, tensors: Entry, sidecar: str | None = None) -> Entry:
    words = {"file": name, "about": about, "licence": licence}
    return words | {"sidecar": sidecar, "tensors": tensors}


def _role(name: str) -> str:
    part = name.rsplit(".", 1)[-1]
    return part if part in ("weight", "bias") else "unknown"


def _teaching() -> Entry:
    tensors = {name: _tensor(*said) for name, said in TEACHING.items()}
    tensors["drifting_batches"]["batch_axis"] = 0
    return _file("teaching.npz", "15 tensors, each made to show one thing.", OWN, tensors)


def _real() -> list[Entry]:
    residuals = {name: _tensor("activation", *said, 0) for name, said in RESIDUALS.items()}
    swish = {"block2.hard_swish": _tensor("activation", *SWISH, 0)}
    return [
        _file(
            "minilm_acts.npz",
            "What two layers of a sentence transformer hand to their last norm: 4 texts.",
            MINILM,
            residuals,
        ),
        _file("ppocr_acts.npz", "A text detector at work on 4 drawn words.", PPOCR, swish),
    ]


def _networks(state: Entry) -> list[Entry]:
    about = {
        "digits_cnn.safetensors": "A CNN with 8,890 parameters that reads 127 of 128 digits.",
        "digits_cnn.pt": "The same network as a PyTorch state dict.",
        "digits_cnn.onnx": "The same network as a graph that runs: images to logits.",
        "digits_cnn_rescaled.safetensors": (
            "The same function with one ReLU channel 120 times larger: "
            "4-bit activations with one step per tensor read 15 % of the digits."
        ),
        "digits_cnn_rescaled.onnx": "The rescaled network as a graph that runs.",
    }
    return [_file(name, said, OWN, state) for name, said in about.items()]


def _data() -> list[Entry]:
    acts = {name: _tensor("activation", *said, 0) for name, said in STAGES.items()}
    calib = {
        "images": _tensor("activation", "Digit images", "128 images of 8 x 8 in [0, 1].", 0),
        "labels": _tensor("unknown", "Digit labels", "The digit in each image."),
    }
    return [
        _file(
            "digits_acts.npz",
            "8 activations of the first 16 images of digits_calib.npz.",
            DIGITS,
            acts,
        ),
        _file("digits_calib.npz", "128 digits, none used for training.", DIGITS, calib),
    ]


def _codes() -> Entry:
    about = "4,096 stored codes; a code times 0.03 is the value."
    tensors = {"codes_int8": _tensor("weight", "Stored codes", about)}
    return _file("codes_int8.npy", about, OWN, tensors, "codes_int8.json")
