"""One scheme for many tensors."""

import pytest

from qviz.errors import QvizError, UnknownName
from qviz.models.scheme import Scheme, Schemes
from qviz.spec import Granularity, QuantSpec


def test_words_are_read_in_any_order():
    scheme = Scheme.parse("symmetric per_channel 4 percentile:keep=99.9 signed narrow_range")
    assert scheme.spec == QuantSpec(4, signed=True, symmetric=True, narrow_range=True)
    assert scheme.granularity == "per_channel"
    assert Scheme.parse(str(scheme)) == scheme


@pytest.mark.parametrize(
    "text", ["minmax", "absmax 8 per_group:-1:32", "mse 2 reduce_range mode=torch.fused"]
)
def test_spelling_comes_back(text):
    scheme = Scheme.parse(text)
    assert Scheme.parse(str(scheme)) == scheme


def test_channels_are_those_of_each_tensor():
    own = Scheme.parse("absmax per_channel")
    assert own.target(1).granularity == Granularity("per_channel", 1)
    assert own.target(None).granularity == Granularity()
    fixed = Scheme.parse("absmax per_channel:0")
    assert fixed.target(1).granularity == Granularity("per_channel", 0)


def test_roles_have_their_scheme():
    usual = Schemes.usual()
    assert usual.of("activation") is usual.activations
    assert usual.of("weight") is usual.of("bias") is usual.weights


@pytest.mark.parametrize("text", ["", "8 signed", "absmax minmax", "absmax 99", "absmax per_x:1"])
def test_what_says_nothing_is_refused(text):
    with pytest.raises(QvizError):
        Scheme.parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("absmax 8 8 4", "bit width twice. It holds 8 and 8"),
        ("absmax 8 4", "It holds 8 and 4"),
        ("absmax per_channel per_tensor", "grouping twice"),
        ("absmax mode=affine mode=torch.fused", "mode twice"),
        ("absmax 8 sgned", "'sgned' says nothing"),
    ],
)
def test_nothing_is_said_twice(text, words):
    with pytest.raises(QvizError, match=words):
        Scheme.parse(text)


def test_an_unknown_observer_is_named():
    with pytest.raises(UnknownName, match="nosuch"):
        Scheme.parse("nosuch 8")
