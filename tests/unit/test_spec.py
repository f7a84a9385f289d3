"""Granularity, codes and ranges."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from qviz.errors import QvizError
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Range, Role, joined


def refused(call):
    with pytest.raises(QvizError) as error:
        call()
    return str(error.value)


X = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("per_tensor", [list(range(24))]),
        ("per_channel:0", [list(range(12)), list(range(12, 24))]),
        (
            "per_channel:1",
            [[*range(4 * c, 4 * c + 4), *range(12 + 4 * c, 16 + 4 * c)] for c in (0, 1, 2)],
        ),
        ("per_channel:-1", [list(range(c, 24, 4)) for c in range(4)]),
        ("per_group:-1:2", [[i, i + 1] for i in range(0, 24, 2)]),
        (
            "per_group:1:3",
            [[12 * b + c + 4 * i for i in range(3)] for b in (0, 1) for c in range(4)],
        ),
        ("per_group:0:1", [[12 * b + i] for i in range(12) for b in (0, 1)]),
        ("per_token", [list(range(i, i + 4)) for i in range(0, 24, 4)]),
    ],
)
def test_rows_by_hand(text, rows):
    granularity = Granularity.parse(text)
    assert granularity.groups(X.shape) == len(rows)
    assert granularity.rows(X).tolist() == rows
    assert str(granularity) == text


@pytest.mark.parametrize("shape", [(), (4,), (4, 6), (2, 4, 6), (2, 1, 4, 6)])
@pytest.mark.parametrize("order", ["C", "F", "reversed", "torch"])
def test_rows_are_restored(shape, order):
    x = np.random.default_rng(0).normal(size=shape)
    x = {
        "C": lambda: x,
        "F": lambda: x.copy(order="F"),
        "reversed": lambda: x[::-1] if shape else x,
        "torch": lambda: torch.from_numpy(x),
    }[order]()
    kinds = [Granularity()]
    if shape:
        kinds += [Granularity("per_channel", axis) for axis in range(-len(shape), len(shape))]
        kinds += [Granularity("per_group", axis, 1) for axis in range(len(shape))]
        kinds += [Granularity("per_group", -1, 2), Granularity("per_token")]
    for granularity in kinds:
        rows = granularity.rows(x)
        assert rows.shape[0] == granularity.groups(shape)
        back = granularity.restore(rows * 2, x)
        assert tuple(back.shape) == shape
        assert (np.asarray(back) == 2 * np.asarray(x)).all()


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.permutations(range(4)),
    st.integers(0, 3),
    st.data(),
)
def test_a_tile_is_a_part_of_all_rows(shape, order, axis, data):
    order = [axis for axis in order if axis < len(shape)]
    x = np.arange(np.prod(shape)).reshape([shape[i] for i in order]).transpose(np.argsort(order))
    axis %= len(shape)
    size = data.draw(st.sampled_from([d for d in range(1, 6) if shape[axis] % d == 0]))
    for granularity in (
        PER_TENSOR,
        Granularity("per_channel", axis),
        Granularity("per_group", axis, size),
        Granularity("per_token"),
    ):
        groups = granularity.groups(x.shape)
        start = data.draw(st.integers(0, groups))
        tile = slice(start, data.draw(st.integers(start, groups)))
        assert (granularity.rows(x, tile) == granularity.rows(x)[tile]).all()
        assert granularity.rows(x, tile).shape == granularity.rows(x)[tile].shape


@pytest.mark.parametrize(
    ("granularity", "x"),
    [
        (PER_TENSOR, X),
        (PER_TENSOR, np.asfortranarray(X)),
        (Granularity("per_channel", 0), X),
        (Granularity("per_group", -1, 2), X),
        (Granularity("per_token"), X),
    ],
)
def test_rows_are_views_where_the_layout_allows(granularity, x):
    assert np.shares_memory(granularity.rows(x), x)


@pytest.mark.parametrize(
    ("granularity", "shape", "groups"),
    [
        (Granularity(), (0, 3), 1),
        (Granularity("per_channel", 0), (0, 3), 0),
        (Granularity("per_channel", 1), (0, 3), 3),
        (Granularity("per_token"), (5, 0), 5),
        (Granularity("per_token"), (0, 5), 0),
        (Granularity("per_group", 1, 2), (5, 0), 0),
    ],
)
def test_no_elements(granularity, shape, groups):
    x = np.zeros(shape)
    rows = granularity.rows(x)
    assert granularity.groups(shape) == rows.shape[0] == groups
    assert rows.size == 0
    assert granularity.restore(rows, x).shape == shape


def test_which_groups_live_on_across_batches():
    spans = {
        kind: Granularity(kind, size=1).spans_batches for kind in ("per_tensor", "per_channel")
    }
    spans |= {kind: Granularity(kind, size=1).spans_batches for kind in ("per_group", "per_token")}
    assert spans == {
        "per_tensor": True,
        "per_channel": True,
        "per_group": False,
        "per_token": False,
    }


@pytest.mark.parametrize("text", ["per_tensor", "per_channel:-2", "per_group:0:32", "per_token"])
def test_a_granularity_reads_back(text):
    assert str(Granularity.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "per_row",
            "No granularity is 'per_row'. Known: per_tensor, per_channel, per_group, per_token.",
        ),
        ("per_row:3", "No granularity is 'per_row'."),
        ("", "No granularity is ''."),
        ("per_channel", "'per_channel' is no granularity. Write per_tensor, per_channel:0,"),
        ("per_channel:0:1", "'per_channel:0:1' is no granularity. Write"),
        ("per_tensor:0", "'per_tensor:0' is no granularity. Write"),
        ("per_token:1", "'per_token:1' is no granularity. Write"),
        ("per_group:32", "'per_group:32' is no granularity. Write"),
        ("per_channel:x", "'per_channel:x' is no granularity. Axis and size are integers."),
        ("per_group:0:0", "A group of 0 elements does not exist. Use 1 or more."),
        ("per_group:0:-4", "A group of -4 elements does not exist. Use 1 or more."),
    ],
)
def test_texts_that_are_no_granularity(text, sentence):
    assert refused(lambda: Granularity.parse(text)).startswith(sentence)


@pytest.mark.parametrize(
    ("granularity", "shape", "sentence"),
    [
        (
            Granularity("per_channel", 2),
            (3, 4),
            "Axis 2 does not exist in a tensor of shape (3, 4). It has 2 axes. Use 0 to 1.",
        ),
        (
            Granularity("per_channel", 1),
            (3,),
            "Axis 1 does not exist in a tensor of shape (3,). It has 1 axis. Use 0.",
        ),
        (
            Granularity("per_group", -3, 1),
            (3, 4),
            "Axis -3 does not exist in a tensor of shape (3, 4).",
        ),
        (
            Granularity("per_token"),
            (),
            "Axis -1 does not exist in a tensor of shape (). It is a single value. Use per_tensor.",
        ),
        (
            Granularity("per_group", -1, 32),
            (7, 100),
            "Groups of 32 do not divide axis 1 of 100 elements. Each group must be whole. "
            "Use 20, 25, 50, 100.",
        ),
        (
            Granularity("per_group", 0, 4),
            (100_000_007,),  # a prime, found without counting to it
            "Groups of 4 do not divide axis 0 of 100000007 elements. Each group must be whole. "
            "Use 1, 100000007.",
        ),
    ],
)
def test_shapes_that_do_not_fit(granularity, shape, sentence):
    assert refused(lambda: granularity.groups(shape)).startswith(sentence)


@pytest.mark.parametrize(
    ("options", "ends"),
    [
        ({}, (0, 255)),
        ({"signed": True}, (-128, 127)),
        ({"signed": True, "narrow_range": True}, (-127, 127)),
        ({"narrow_range": True}, (1, 255)),
        ({"bits": 1}, (0, 1)),
        ({"bits": 1, "signed": True}, (-1, 0)),
        ({"bits": 4, "signed": True}, (-8, 7)),
        ({"bits": 16}, (0, 65_535)),
        ({"reduce_range": True}, (0, 127)),
        ({"signed": True, "reduce_range": True}, (-64, 63)),
        ({"quant_min": -5, "quant_max": 9}, (-5, 9)),
        ({"bits": 16, "quant_min": 0, "quant_max": 65_535}, (0, 65_535)),
    ],
)
def test_ends_of_the_codes(options, ends):
    spec = QuantSpec(**options)
    assert spec.ends == ends
    assert spec.levels == ends[1] - ends[0] + 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"bits": 0}, "0 bits are not offered. Choose 1 to 16 bits."),
        ({"bits": 17}, "17 bits are not offered."),
        ({"bits": 2.5}, "2.5 bits are not offered."),
        ({"quant_min": 0}, "Only one end of the code range was given. Give both, or none."),
        ({"quant_max": 9}, "Only one end of the code range was given."),
        ({"quant_min": 3, "quant_max": 3}, "Codes 3 to 3 are fewer than two. Use more bits."),
        ({"quant_min": 9, "quant_max": 3}, "Codes 9 to 3 are fewer than two."),
        ({"bits": 1, "narrow_range": True}, "Codes 1 to 1 are fewer than two."),
        ({"quant_min": 0, "quant_max": 65_536}, "65,537 codes are too many. At most 65,536"),
    ],
)
def test_codes_that_cannot_be(options, sentence):
    assert refused(lambda: QuantSpec(**options)).startswith(sentence)


def test_a_range_is_float64_by_group():
    one = Range(-1, np.float32(2))
    assert (one.lo.tolist(), one.hi.tolist()) == ([-1], [2])
    assert one.lo.dtype == one.hi.dtype == np.float64
    assert refused(lambda: Range([0, 0], [1])) == "lo has shape (2,), hi (1,). They differ."


def test_a_range_rounds_to_float32_and_may_overflow_it():
    got = Range([-0.1, -1e300], [1 / 3, 1e-60], exact=False).as_float32()
    assert got.lo.tolist() == [float(np.float32(-0.1)), -np.inf]
    assert got.hi.tolist() == [float(np.float32(1 / 3)), 0]
    assert got.exact is False


def test_ranges_of_tiles_join():
    whole = joined([Range([0, 1], [2, 3]), Range([4], [5], exact=False)])
    assert (whole.lo.tolist(), whole.hi.tolist(), whole.exact) == ([0, 1, 4], [2, 3, 5], False)
    assert joined([Range(0, 1)]).exact is True


def test_roles_are_words():
    assert [str(role) for role in Role] == ["weight", "activation", "bias", "unknown"]
