"""The digits network: its data, its training, its rescaled twin and its ONNX graph.

Needs torch, scikit-learn and onnx; only ``make_samples.py`` imports it.
"""

from __future__ import annotations

from typing import Any

import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.utils import shuffle
from torch import nn
from torch.nn import functional as f

SEED = 0
TRAINING_IMAGES = 1400
CALIBRATION_IMAGES = 128
EPOCHS, BATCH, RATE = 30, 64, 3e-3
TWIN_CHANNEL, TWIN_FACTOR = 3, 120.0
OPSET, IR_VERSION = 20, 9  # the first opset with Gelu, and the format version of its time

State = dict[str, torch.Tensor]


class DigitsNet(nn.Module):
    """A small CNN with one of each layer that quantizers treat differently; 8,890 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.bn2 = nn.BatchNorm2d(8)
        self.pointwise = nn.Conv2d(8, 16, 1)
        self.fc1 = nn.Linear(256, 32)
        self.fc2 = nn.Linear(32, 10)

    def stages(self, images: torch.Tensor) -> State:
        """Activations by name, in network order; images (n, 1, 8, 8) in [0, 1]."""
        at = {"bn1": self.bn1(self.conv1(images))}
        at["relu"] = f.relu(at["bn1"])
        at["bn2"] = self.bn2(self.depthwise(at["relu"]))
        at["relu6"] = f.relu6(at["bn2"])
        at["hard_swish"] = f.hardswish(self.pointwise(at["relu6"]))
        at["gelu"] = f.gelu(self.fc1(f.max_pool2d(at["hard_swish"], 2).flatten(1)))
        at["logits"] = self.fc2(at["gelu"])
        at["softmax"] = at["logits"].softmax(1)
        return at

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.stages(images)["logits"]


def load_split() -> tuple[torch.Tensor, torch.Tensor]:
    """All 1,797 images (n, 1, 8, 8) in [0, 1] and labels; the first 1,400 are for training."""
    digits = load_digits()
    images, labels = shuffle(digits.images, digits.target, random_state=SEED)
    return torch.from_numpy(images / 16).float()[:, None], torch.from_numpy(labels)


def train(images: torch.Tensor, labels: torch.Tensor) -> DigitsNet:
    """The network after 30 epochs of Adam, in evaluation mode."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(SEED)
    net = DigitsNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(images)).split(BATCH):
            optimizer.zero_grad()
            f.cross_entropy(net(images[rows]), labels[rows]).backward()
            optimizer.step()
    return net.eval()


def state_of(net: DigitsNet) -> State:
    """Parameters and running statistics by name, all float32."""
    state = net.state_dict()
    return {name: value for name, value in state.items() if value.is_floating_point()}


def rescale(state: State) -> State:
    """The twin: one ReLU channel times 120, the depthwise filter that reads it divided by 120."""
    twin = {name: value.clone() for name, value in state.items()}
    twin["bn1.weight"][TWIN_CHANNEL] *= TWIN_FACTOR
    twin["bn1.bias"][TWIN_CHANNEL] *= TWIN_FACTOR
    twin["depthwise.weight"][TWIN_CHANNEL] /= TWIN_FACTOR
    return twin


def onnx_graph(state: State) -> onnx.ModelProto:
    """The network as a checked ONNX model: ``images`` (batch, 1, 8, 8) to ``logits``."""
    graph = helper.make_graph(
        _nodes(),
        "digits_cnn",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 10])],
        [numpy_helper.from_array(value.numpy(), name) for name, value in state.items()],
    )
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)
    onnx.checker.check_model(model, full_check=True)
    return model


def _nodes() -> list[onnx.NodeProto]:
    """The graph's nodes; outputs are named as in ``DigitsNet.stages``."""
    pads = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    return [
        _layer("Conv", "conv1", "images", "conv1", **pads),
        _norm("bn1", "conv1"),
        helper.make_node("Relu", ["bn1"], ["relu"]),
        _layer("Conv", "depthwise", "relu", "depthwise", group=8, **pads),
        _norm("bn2", "depthwise"),
        helper.make_node("Constant", [], ["zero"], value_float=0.0),
        helper.make_node("Constant", [], ["six"], value_float=6.0),
        helper.make_node("Clip", ["bn2", "zero", "six"], ["relu6"]),
        _layer("Conv", "pointwise", "relu6", "pointwise", kernel_shape=[1, 1]),
        helper.make_node("HardSwish", ["pointwise"], ["hard_swish"]),
        helper.make_node("MaxPool", ["hard_swish"], ["pool"], **pool),
        helper.make_node("Flatten", ["pool"], ["features"]),
        _layer("Gemm", "fc1", "features", "fc1", transB=1),
        helper.make_node("Gelu", ["fc1"], ["gelu"]),
        _layer("Gemm", "fc2", "gelu", "logits", transB=1),
    ]


def _layer(op: str, name: str, source: str, target: str, **attributes: Any) -> onnx.NodeProto:
    inputs = [source, f"{name}.weight", f"{name}.bias"]
    return helper.make_node(op, inputs, [target], name=name, **attributes)


def _norm(name: str, source: str) -> onnx.NodeProto:
    parts = ("weight", "bias", "running_mean", "running_var")
    inputs = [source, *(f"{name}.{part}" for part in parts)]
    return helper.make_node("BatchNormalization", inputs, [name], name=name, epsilon=1e-5)
