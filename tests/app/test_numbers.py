"""The numbers on screen are those of the pipeline, and of plain arithmetic."""

import numpy as np
import pytest

from qviz.figures.findings import finding
from qviz.metrics.base import overall
from qviz.metrics.reading import read
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.ui.state import store
from qviz.ui.table import METRICS, SHARES
from tests.app.reading import (
    caption,
    expected,
    heading,
    noise,
    npy,
    press,
    sample,
    table,
    upload,
    well,
)

WEIGHT, CONV = "teaching::gaussian", "digits_cnn.safetensors::depthwise.weight"


def same(a, b):
    """Both the same number, or both none."""
    return (a is None or np.isnan(a)) if b is None else a == b


def check(shown, comparison):
    """Every cell of the table against the rows of a comparison."""
    assert len(shown) == len(comparison.rows)
    for row in comparison.rows:
        cells, totals = shown.loc[row.title], overall(row.totals)
        assert same(cells["SQNR dB"], read("sqnr", totals)[0].value)
        single = len(row.range.lo) == 1
        assert same(cells["Lower"], row.range.lo[0] if single else None)
        assert same(cells["Upper"], row.range.hi[0] if single else None)
        assert same(cells["Scale"], row.qparams["scale"][0] if single else None)
        for name in METRICS:
            value = read(name, totals, row.channels)[0].value
            times = 100 if name in SHARES else 1
            assert same(cells[name], None if value is None else times * value)


@pytest.mark.parametrize("bits", [8, 2])
@pytest.mark.parametrize("tensor", [WEIGHT, CONV])
def test_the_table_shows_the_comparison(open_app, tensor, bits):
    at = press(open_app(tensor=tensor), "bits", bits)
    target = Target.of(QuantSpec(bits))
    comparison = expected(sample(tensor), target, channel_axis=0)
    check(table(at), comparison)
    assert list(table(at)["SQNR dB"]) == sorted(table(at)["SQNR dB"], reverse=True)
    assert heading(at) == finding(comparison).heading


def test_signed_symmetric_and_the_other_switches_reach_the_codes(open_app):
    at = open_app(tensor=WEIGHT, signed="true", symmetric="true", narrow_range="true", bits="4")
    target = Target.of(QuantSpec(4, True, True, True))
    check(table(at), expected(sample(WEIGHT), target, channel_axis=0))
    at = open_app(tensor=WEIGHT, custom="true", quant_min="-5", quant_max="9", reduce_range="true")
    target = Target.of(QuantSpec(8, quant_min=-5, quant_max=9, reduce_range=True))
    check(table(at), expected(sample(WEIGHT), target, channel_axis=0))


def other_width(at):
    (box,) = [box for box in at.number_input if box.label.startswith("Other width")]
    return box


def test_any_width_up_to_16_bits(open_app):
    at = open_app(tensor=WEIGHT)
    well(other_width(at).set_value(11).run())
    assert at.segmented_control(key="bits").value == 11
    check(table(at), expected(sample(WEIGHT), Target.of(QuantSpec(11)), channel_axis=0))


def test_the_box_for_other_widths_follows_the_buttons(open_app):
    at = open_app(tensor=WEIGHT)
    well(other_width(at).set_value(11).run())
    press(at, "bits", 4)
    assert other_width(at).value == 4


@pytest.mark.parametrize("bits", [8, 3])
def test_the_table_agrees_with_plain_arithmetic(open_app, bits):
    x = sample(WEIGHT).astype(np.float64)
    shown = table(press(open_app(tensor=WEIGHT), "bits", bits))
    for _, row in shown.iterrows():
        codes = np.clip(np.rint(x / row["Scale"]) + row["Zero point"], 0, 2**bits - 1)
        error = x - (codes - row["Zero point"]) * row["Scale"]
        assert row["mse"] == pytest.approx(np.mean(error**2), rel=1e-5)
        energy = np.sum(x**2) / np.sum(error**2)
        assert row["SQNR dB"] == pytest.approx(10 * np.log10(energy), abs=1e-4)
        assert row["codes_used"] == len(np.unique(codes))
        each = 10 * np.log10(np.sum(x**2, axis=1) / np.sum(error**2, axis=1))
        assert row["worst_channel"] == pytest.approx(each.min(), abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "granularity", "ranges"),
    [
        ("per_channel", Granularity("per_channel", 0), "64 ranges"),
        ("per_token", Granularity("per_token"), "64 ranges"),
        ("group_32", Granularity("per_group", -1, 32), "128 ranges"),
    ],
)
def test_granularities(open_app, kind, granularity, ranges):
    at = open_app(tensor=WEIGHT, bits="4")
    at = well(at.selectbox(key="granularity").set_value(kind).run())
    comparison = expected(sample(WEIGHT), Target.of(QuantSpec(4), granularity), channel_axis=0)
    check(table(at), comparison)
    assert heading(at) == finding(comparison).heading and ranges in heading(at)


def test_each_axis_can_be_that_of_the_channels(open_app):
    at = upload(open_app(), "w.npy", npy(noise(3, 6, 5, 4)))
    at = well(at.selectbox(key="granularity").set_value("per_channel").run())
    for axis in (2, 1, 0):
        at = well(at.selectbox(key="axis").set_value(axis).run())
        target = Target.of(granularity=Granularity("per_channel", axis))
        check(table(at), expected(noise(3, 6, 5, 4), target, channel_axis=axis))


def test_a_smaller_tensor_after_an_axis_that_it_lacks(open_app):
    at = upload(open_app(), "w.npy", npy(noise(3, 6, 5, 4)))
    at = well(at.selectbox(key="granularity").set_value("per_channel").run())
    at = well(at.selectbox(key="axis").set_value(2).run())
    at = well(at.selectbox(key="tensor").set_value(WEIGHT).run())
    target = Target.of(granularity=Granularity("per_channel", 0))
    check(table(at), expected(sample(WEIGHT), target, channel_axis=0))


def test_a_group_size_that_does_not_divide_is_told(open_app):
    at = open_app(tensor=WEIGHT)
    at = well(at.selectbox(key="granularity").set_value("group_128").run())
    (box,) = at.error
    assert "Groups of 128 do not divide axis 1 of 64 elements" in box.value
    assert "Use 8, 16, 32, 64." in box.value
    at = well(at.selectbox(key="granularity").set_value("group_64").run())
    assert not at.error and heading(at)


def test_values_that_are_not_finite_are_counted_and_left_out(open_app):
    x = sample("teaching::non_finite")
    nan, infinite = int(np.isnan(x).sum()), int(np.isinf(x).sum())
    at = open_app(tensor="teaching::non_finite")
    assert f"{nan} NaN and {infinite} infinite among {x.size:,} values" in caption(at)
    (box,) = at.warning
    first = int(np.flatnonzero(~np.isfinite(x.ravel()))[0])
    assert f"flat index {first}" in box.value
    finite = x[np.isfinite(x)]
    assert table(at).loc["MinMax", "Lower"] == finite.min()
    assert table(at).loc["MinMax", "Upper"] == finite.max()


def test_a_constant_tensor(open_app):
    at = open_app(tensor="teaching::constant")
    value = sample("teaching::constant").flat[0]
    assert heading(at).startswith(f"All 4,096 values are {value:g}")
    assert len(table(at)) > 10


def test_batches_seen_so_far(open_app):
    at = open_app(tensor="teaching::drifting_batches")
    assert not [s for s in open_app(tensor=WEIGHT).slider if s.label == "Batches seen"]
    x = sample("teaching::drifting_batches")
    all_seen = table(at)
    check(all_seen, expected(x, batch_axis=0))
    (slider,) = [s for s in at.slider if s.label == "Batches seen"]
    assert (slider.min, slider.max, slider.value) == (1, 12, 12)
    at = well(slider.set_value(3).run())
    check(table(at), expected(x[:3], batch_axis=0))
    average = "Moving average"
    assert table(at).loc[average, "Upper"] != all_seen.loc[average, "Upper"]


ACTS = "digits_acts::hard_swish"  # 16 batches of 16 x 8 x 8


def test_channels_of_a_tensor_with_batches(open_app):
    at = open_app(tensor=ACTS)
    at = well(at.selectbox(key="granularity").set_value("per_channel").run())
    at = well(at.selectbox(key="axis").set_value(1).run())
    target = Target.of(granularity=Granularity("per_channel", 0))  # of each batch
    check(table(at), expected(sample(ACTS), target, batch_axis=0, channel_axis=0))


def test_the_worst_channel_of_a_tensor_with_batches(open_app):
    check(table(open_app(tensor=ACTS)), expected(sample(ACTS), batch_axis=0, channel_axis=0))


def test_the_same_numbers_every_time(open_app):
    tables = []
    for _ in range(3):
        store.clear()
        tables.append(table(open_app(tensor="synthetic::student_t", sets="torch")))
    assert tables[0].equals(tables[1]) and tables[0].equals(tables[2])
