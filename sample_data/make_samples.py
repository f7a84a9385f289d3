"""Write the sample data: ``python sample_data/make_samples.py [OUT]``.

Without OUT the files beside this script are replaced. One thread and fixed seeds, about five
seconds. ``catalogue.py`` describes ``index.json``, ``README.md`` the files.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import catalogue
import digits
import numpy as np
import onnx
import teaching
import torch
from safetensors.torch import save

HERE = Path(__file__).parent
ACTIVATION_IMAGES = 16
CODES_SEED, CODES_SCALE = 100, 0.03


def main(out: Path) -> None:
    """Make every file in ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    images, labels = digits.load_split()
    known = digits.TRAINING_IMAGES
    net = digits.train(images[:known], labels[:known])
    state = digits.state_of(net)
    write_networks(out, state)
    unseen = slice(known, known + digits.CALIBRATION_IMAGES)
    write_data(out, net, images[unseen], labels[unseen])
    np.savez_compressed(out / "teaching.npz", **teaching.make_tensors())
    write_codes(out)
    write_json(out / "index.json", catalogue.index(state))


def write_networks(out: Path, state: digits.State) -> None:
    """The trained network in three formats, and its rescaled twin."""
    (out / "digits_cnn.safetensors").write_bytes(save(state))
    torch.save(state, out / "digits_cnn.pt")
    onnx.save(digits.onnx_graph(state), out / "digits_cnn.onnx")
    twin = digits.rescale(state)
    (out / "digits_cnn_rescaled.safetensors").write_bytes(save(twin))
    onnx.save(digits.onnx_graph(twin), out / "digits_cnn_rescaled.onnx")


def write_data(
    out: Path, net: digits.DigitsNet, images: torch.Tensor, labels: torch.Tensor
) -> None:
    """The images for calibration, and the activations of the first of them."""
    with torch.no_grad():
        stages = net.stages(images[:ACTIVATION_IMAGES])
    arrays = {name: value.numpy() for name, value in stages.items()}
    np.savez_compressed(out / "digits_acts.npz", **arrays)
    shown = {"images": images.numpy(), "labels": labels.numpy().astype(np.uint8)}
    np.savez_compressed(out / "digits_calib.npz", **shown)


def write_codes(out: Path) -> None:
    """A standard normal as int8 codes, and the scale that belongs to them."""
    values = np.random.default_rng(CODES_SEED).standard_normal((64, 64))
    codes = np.clip(np.rint(values / CODES_SCALE), -128, 127).astype(np.int8)
    np.save(out / "codes_int8.npy", codes)
    write_json(out / "codes_int8.json", {"scale": CODES_SCALE, "zero_point": 0})


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Readable JSON with a final newline."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
