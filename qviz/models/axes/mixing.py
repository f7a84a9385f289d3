"""Operations that make channels, and those that leave them where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qviz.models.axes.layouts import Laid, broadcast, loose, unknown
from qviz.models.declared import Declared
from qviz.sources.onnx.records import Node

Given = Sequence[Laid]
_CONVOLVES = ("Conv", "ConvInteger", "FusedConv", "DeformConv")
IMAGES = frozenset(  # samples, channels, then places
    "MaxPool AveragePool LpPool GlobalAveragePool GlobalMaxPool GlobalLpPool QLinearAveragePool"
    " QLinearGlobalAveragePool MaxRoiPool RoiAlign MaxUnpool GridSample DepthToSpace SpaceToDepth"
    " Col2Im ConvTranspose QLinearConv".split()
) | frozenset(_CONVOLVES)
FIRST = frozenset("BatchNormalization InstanceNormalization GroupNormalization LRN".split())
PRODUCTS = frozenset("MatMul Gemm MatMulInteger QLinearMatMul FusedMatMul FusedGemm".split())
LAST = frozenset(
    "LSTM GRU RNN Attention MultiHeadAttention GroupQueryAttention EmbedLayerNormalization"
    " MatMulNBits MatMulIntegerToFloat DynamicQuantizeMatMul QAttention QGemm NhwcConv".split()
)
NORMS = frozenset(
    "LayerNormalization RMSNormalization SimplifiedLayerNormalization SkipLayerNormalization"
    " SkipSimplifiedLayerNormalization".split()
)
PLAIN = frozenset(  # of the first input alone; the others set them up
    "Identity Cast CastLike QuantizeLinear DequantizeLinear Dropout Clip DynamicQuantizeLinear"
    " CumSum CumProd Trilu ScatterElements ScatterND RotaryEmbedding ReverseSequence".split()
)
SAME = PLAIN | frozenset(
    "Abs Acos Acosh Add And Asin Asinh Atan Atanh Bernoulli BiasGelu BitShift BitwiseAnd BitwiseNot"
    " BitwiseOr BitwiseXor Ceil Celu Cos Cosh Div Elu Equal Erf Exp FastGelu Floor Gelu Greater"
    " GreaterOrEqual HardSigmoid HardSwish Hardmax IsInf IsNaN LeakyRelu Less LessOrEqual Log"
    " LogSoftmax LpNormalization Max Mean MeanVarianceNormalization Min Mish Mod Mul Neg Not Or"
    " PRelu Pow QLinearAdd QLinearLeakyRelu QLinearMul QLinearSigmoid QuickGelu RandomNormalLike"
    " RandomUniformLike Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softmax Softplus"
    " Softsign Sqrt Sub Sum Swish Tan Tanh ThresholdedRelu Where Xor".split()
)
_WEIGHTS = {  # operation: its weights among the inputs, and their axis of output channels
    **dict.fromkeys(_CONVOLVES, (1, 0)),
    **{"ConvTranspose": (1, 1), "QLinearConv": (3, 0)},
}


def is_last(node: Node, given: Given) -> bool:
    """Whether a norm runs along the last axis alone."""
    axis, rank = node.numbers.get("axis", -1), given[0].rank if given else None
    return axis == -1 or (rank is not None and axis == rank - 1)


def read(node: Node, given: Given) -> Iterator[tuple[int, int]]:
    """Inputs of an operation, and the axes on which it takes their channels."""
    if node.op in IMAGES | FIRST:
        yield 0, _along(node)
    if node.op in LAST or (node.op in NORMS and is_last(node, given)):
        yield 0, -1
    if node.op in _WEIGHTS:
        yield _WEIGHTS[node.op]
    if node.op == "Gather" and given and given[0].constant and not node.numbers.get("axis", 0):
        yield 0, -1
    if node.op in PRODUCTS:
        yield from _multiplied(node, given)


def _multiplied(node: Node, given: Given) -> Iterator[tuple[int, int]]:
    second = _second(node)
    a, b = (given[at] if at < len(given) else Laid() for at in (0, second))
    turned = [node.numbers.get(name, 0) for name in ("transA", "transB")]
    if b.constant and not a.constant:
        yield 0, -2 if turned[0] else -1
        yield second, -2 if turned[1] else -1
    if a.constant and not b.constant:  # the rows of what is stored become those of the output
        yield 0, -1 if turned[0] else -2
        yield second, -1 if turned[1] else -2


def _second(node: Node) -> int:
    return 3 if node.op == "QLinearMatMul" else 1


def _along(node: Node) -> int:
    return -1 if node.numbers.get("channels_last", 0) else 1


def image(node: Node, given: Given, graph: Declared) -> Laid:
    """Samples, channels, places: as many channels as the weights say."""
    axis, (at, along) = _along(node), _WEIGHTS.get(node.op, (0, 1))
    x, w = (given[i].shape if i < len(given) else None for i in (0, at))
    x = x if x is not None or node.op not in _WEIGHTS or w is None else loose(len(w))
    if x is None or w is None or axis < 0 or min(len(x), len(w)) < 2:
        return Laid(None, axis)
    n = w[along] if node.op in _WEIGHTS or node.op.endswith("Pool") else unknown()
    if node.op == "ConvTranspose":
        n = n * node.numbers.get("group", 1) if isinstance(n, int) else unknown()
    places = (1 if "Global" in node.op else unknown() for _ in x[2:])
    return Laid((x[0], n, *places), axis)


def norm(node: Node, given: Given, graph: Declared) -> Laid:
    """Along the last axis there are the channels; along several, where they were."""
    one = given[0] if given else Laid()
    return Laid(one.shape, -1 if is_last(node, given) else one.axis)


def first(node: Node, given: Given, graph: Declared) -> Laid:
    """A norm of channels on axis 1."""
    return Laid(given[0].shape if given else None, 1)


def last(node: Node, given: Given, graph: Declared) -> Laid:
    """Features, after all that counts samples and steps."""
    return Laid(None, -1)


def product(node: Node, given: Given, graph: Declared) -> Laid:
    """Columns, or the rows of a stored matrix that stands first."""
    a, b = (given[at] if at < len(given) else Laid() for at in (0, _second(node)))
    axis = -2 if a.constant and not b.constant else -1
    if a.shape is None or b.shape is None or min(len(a.shape), len(b.shape)) < 2:
        return Laid(None, None if b.rank == 1 else axis)
    turned = [node.numbers.get(name, 0) for name in ("transA", "transB")]
    rows, columns = a.shape[-1 if turned[0] else -2], b.shape[-2 if turned[1] else -1]
    return Laid((*(broadcast([a.shape[:-2], b.shape[:-2]]) or ()), rows, columns), axis)


def same(node: Node, given: Given, graph: Declared) -> Laid:
    """Element by element: the first input that has channels tells where they lie."""
    given = given[:1] if node.op in PLAIN else given
    shape = broadcast([one.shape for one in given])
    found = [one for one in given if one.axis is not None]
    one = next((one for one in found if not one.constant), (*found, Laid())[0])
    if one.axis is None or one.axis < 0 or shape is None or one.rank is None:
        return Laid(shape, one.axis)
    return Laid(shape, one.axis + len(shape) - one.rank)
