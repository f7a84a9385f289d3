"""What a graph says of its constants: their roles, and the scales and zero points of codes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from qviz.sources.onnx.records import Node, Scope

Place = tuple[int, str]  # a value: the scope it belongs to, by identity, and its name there
_W, _B = "weight", "bias"
_SAME = (  # operations whose inputs have the same roles
    (("Conv", "ConvTranspose", "DeformConv", "PRelu"), {1: _W, 2: _B}),
    (("BatchNormalization", "InstanceNormalization"), {1: _W, 2: _B}),
    (("LayerNormalization", "GroupNormalization"), {1: _W, 2: _B}),
    (("RMSNormalization", "SimplifiedLayerNormalization"), {1: _W}),
    (("MatMul", "Einsum", "MatMulInteger", "ConvInteger"), {0: _W, 1: _W}),
    (("LSTM", "GRU", "RNN"), {1: _W, 2: _W, 3: _B}),
    (("Gemm",), {0: _W, 1: _W, 2: _B}),
    (("Gather",), {0: _W}),
    (("QLinearConv",), {3: _W, 8: _B}),
    (("QLinearMatMul",), {0: _W, 3: _W}),
)
ROLES = {op: roles for ops, roles in _SAME for op in ops}  # role by operation and input
THROUGH = (  # the first input comes out with other form or type, and is the same to its consumers
    *("Identity", "Cast", "QuantizeLinear", "DequantizeLinear", "Transpose", "Reshape"),
    *("Squeeze", "Unsqueeze", "Flatten"),
)
STEPS = 8  # such operations followed
SCALED = {  # operation: (codes, scale, zero point) among its inputs
    **dict.fromkeys(("DequantizeLinear", "QuantizeLinear"), ((0, 1, 2),)),
    **dict.fromkeys(("QLinearConv", "QLinearMatMul"), ((0, 1, 2), (3, 4, 5))),
}


@dataclass(frozen=True)
class Scaling:
    """Where the scale and the zero point of a constant are, as names in a scope."""

    scope: Scope
    scale: str
    zero_point: str
    axis: int
    block: int


class Meaning:
    """Answers for the constants of all scopes of one model."""

    def __init__(self, scopes: list[Scope]) -> None:
        self._uses: dict[Place, list[tuple[Node, int, Scope]]] = defaultdict(list)
        self.scalings: dict[Place, Scaling] = {}
        self.parameters: dict[Place, str] = {}
        for scope in scopes:
            for node in scope.nodes:
                for at, name in enumerate(node.inputs):
                    self._uses[place(scope, name)].append((node, at, scope))
                self._scaled(scope, node)

    def role(self, scope: Scope, name: str, rank: int) -> str:
        """Role by the operations that consume the constant; empty where they do not tell."""
        waiting, steps = [place(scope, name)], 0
        while waiting and steps < STEPS:
            steps += 1
            for node, at, where in self._uses[waiting.pop()]:
                role = ROLES.get(node.op, {}).get(at, "")
                if role or (node.op == "Add" and rank == 1):
                    return role or _B
                if node.op in THROUGH and at == 0 and node.outputs:
                    waiting.append(place(where, node.outputs[0]))
        return ""

    def _scaled(self, scope: Scope, node: Node) -> None:
        for codes, scale, zero in _scalings(node):
            at = place(scope, codes)
            axis = node.numbers.get("axis", 0 if node.op == "QLinearConv" else 1)
            if node.op == "QLinearMatMul":
                axis = -1
            made = Scaling(scope, scale, zero, axis, node.numbers.get("block_size", 0))
            self.scalings.setdefault(at, made)
            for name, what in ((scale, "scale"), (zero, "zero point")):
                self.parameters.setdefault(place(scope, name), f"{what} of {codes}")


def place(scope: Scope, name: str) -> Place:
    """The value that ``name`` means in this scope, where it is a constant: found outwards."""
    found = scope.find(name)
    return (id(found[0]) if found else id(scope), name)


def _scalings(node: Node) -> Iterator[tuple[str, str, str]]:
    for inputs in SCALED.get(node.op, ()):
        codes, scale, zero = (node.inputs[i] if i < len(node.inputs) else "" for i in inputs)
        if codes and scale:
            yield codes, scale, zero
