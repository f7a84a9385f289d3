"""Which values of a model a quantizer sees: what is not fused away, and weights with two axes."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.models.model import Model
from qviz.sources.base import TensorSource

FUSED = frozenset(  # operations that a runtime joins to the one before
    "BatchNormalization Relu Clip LeakyRelu PRelu Elu Selu Celu HardSwish HardSigmoid Sigmoid Gelu"
    " Softplus Softsign Tanh Mish Swish ThresholdedRelu".split()
)
SAME = frozenset(  # operations whose outputs are values of their inputs
    "MaxPool Flatten Reshape Transpose Squeeze Unsqueeze Identity Dropout Slice Split Expand Tile"
    " DepthToSpace SpaceToDepth Gather GatherElements GatherND Constant Shape".split()
)
WEIGHT, ACTIVATION = "weight", "activation"
FLOATS = {"tensor(float)": 1, "tensor(float16)": 10, "tensor(double)": 11}


@dataclass(frozen=True)
class Point:
    """A value that may be fake-quantized: ``at`` is its place in the order of the network."""

    name: str
    role: str
    op: str
    at: float
    fed: bool = False  # an input of the model


def points(model: Model, source: TensorSource | None) -> list[Point]:
    """Inputs, values of nodes and weights with two axes, in network order.

    A value that only one operation reads, and that operation is fused to its producer, is none;
    nor is one whose elements are those of a point before it.
    """
    found = [Point(i.name, ACTIVATION, "Input", -1, True) for i in model.inputs if _real(i.dtype)]
    readers: dict[str, list[str]] = {}
    for node in model.scope.nodes:
        for name in node.inputs:
            readers.setdefault(name, []).append(node.op)
    for at, node in enumerate(model.scope.nodes):
        for name in node.outputs[:1] if node.op not in SAME else ():
            uses = readers.get(name, [])
            fused = len(uses) == 1 and uses[0] in FUSED and name not in model.outputs
            if name and not fused:
                found.append(Point(name, ACTIVATION, node.op, at))
    return sorted([*found, *_weights(model, source)], key=lambda point: point.at)


def _weights(model: Model, source: TensorSource | None) -> list[Point]:
    if source is None:
        return []
    order = {id(node): at for at, node in enumerate(model.scope.nodes)}
    return [
        Point(name, WEIGHT, user.op, order[id(user)] - 0.5)
        for name, user in model.users.items()
        if name in source.infos and _is_weight(source, name)
    ]


def _is_weight(source: TensorSource, name: str) -> bool:
    info = source.info(name)
    return info.role == WEIGHT and len(info.shape) > 1 and _real(info.dtype) and info.size > 0


def _real(dtype: str) -> bool:
    return dtype in ("float16", "float32", "float64")
