import numpy as np
import pytest

from qviz.figures.channel_axis import MOST_BINS, counted, shades, value_axis, value_ticks
from qviz.pipeline.channel_rows import in_rows, ranked
from tests.unit.figures.channel_maps import mapped, tensor


def values(codes_in_u, linear):
    return np.sinh(codes_in_u) * linear


@pytest.mark.parametrize("bits", [2, 4, 8, 12])
def test_counts_are_those_of_a_histogram_between_the_edges(bits):
    x = tensor().astype(np.float32)
    found = mapped(x, bits=bits)
    rows, where = in_rows(ranked(found), 20), value_axis(found)
    counts = counted(found, rows, where)
    edges = values(where.columns, where.linear)
    edges = np.concatenate([np.nextafter(edges[: len(edges) // 2], -1e9), edges[len(edges) // 2 :]])
    edges *= np.where(
        np.abs(edges) > 0, 1 - 1e-9 * np.sign(np.arange(len(edges)) - len(edges) / 2 + 0.5), 1
    )
    assert counts.sum() == x.size and counts.shape[0] == 20
    for row in range(20):
        channels = rows.order[rows.starts[row] : rows.starts[row + 1]]
        plain = np.histogram(x[:, channels].astype(float), edges)[0]
        assert (counts[row] == plain).all()


@pytest.mark.parametrize("bits", [1, 2, 3, 5, 8, 16])
@pytest.mark.parametrize("symmetric", [True, False])
def test_bins_are_never_more_than_220(bits, symmetric):
    if bits == 1 and symmetric:
        return
    for x in (tensor(), np.abs(tensor()) + 0.1, -np.abs(tensor()), 1000 + tensor(1)):
        found = mapped(x, bits=bits, rule="absmax" if symmetric else "minmax", symmetric=symmetric)
        where = value_axis(found)
        inside = (where.columns[1:] > where.view[0]) & (where.columns[:-1] < where.view[1])
        assert 1 <= inside.sum() <= MOST_BINS
        assert (np.diff(where.columns) > 0).all()
        assert counted(found, in_rows(ranked(found)), where)[:, inside].sum() == x.size


def test_values_beyond_float32_have_a_last_bin_with_an_end():
    x = np.random.default_rng(0).standard_normal((8, 8))
    x[0, 0], x[1, 1] = 1e39, -1e39
    found = mapped(x)
    rows, where = in_rows(ranked(found)), value_axis(found)
    assert np.isfinite(where.columns).all() and (np.diff(where.columns) > 0).all()
    counts = counted(found, rows, where)
    assert counts.sum() == 64 and counts[:, 0].sum() == counts[:, -1].sum() == 1
    assert np.isfinite(shades(counts, where)).all()


def test_the_axis_is_linear_inside_one_step_and_logarithmic_beyond():
    found = mapped(tensor())
    where = value_axis(found)
    assert where.linear == found.step
    assert where.at(0.01 * found.step) == pytest.approx(0.01, rel=1e-4)
    assert where.at(1e4 * found.step) - where.at(1e3 * found.step) == pytest.approx(
        np.log(10), rel=1e-5
    )


def test_shades_are_bytes_and_nothing_is_where_nothing_lies():
    found = mapped(tensor())
    where = value_axis(found)
    counts = counted(found, in_rows(ranked(found)), where)
    shade = shades(counts, where)
    assert shade.dtype == np.uint8 and ((shade == 0) == (counts == 0)).all()
    assert shade.max() == 255 and shade[counts > 0].min() >= 40
    assert not shades(np.zeros_like(counts), where).any()


def test_ticks_stand_at_powers_of_ten_and_apart():
    where = value_axis(mapped(tensor()))
    ticks = value_ticks(where)
    assert ticks["ticktext"] == ["−100", "−10", "0", "10", "100"]
    np.testing.assert_allclose(
        values(ticks["tickvals"], where.linear), [-100, -10, 0, 10, 100], atol=1e-9
    )
    positive = value_ticks(value_axis(mapped(np.abs(tensor()), rule="minmax", symmetric=False)))
    assert not [t for t in positive["ticktext"] if t.startswith("−")]


def test_a_tensor_of_zeros_and_one_of_single_values_can_be_drawn():
    for x in (np.zeros((3, 4)), np.full((3, 4), 2.0), np.eye(3) * 1e-40, np.eye(3) * 1e30):
        found = mapped(x)
        where = value_axis(found)
        assert counted(found, in_rows(ranked(found)), where).sum() == x.size
        assert np.isfinite(where.columns).all() and value_ticks(where)["tickvals"]
