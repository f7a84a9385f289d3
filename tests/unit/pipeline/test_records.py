"""Rows as plain records."""

import numpy as np
import pytest

from qviz.observers.minmax import MinMaxObserver
from qviz.pipeline import compare
from qviz.pipeline.records import Record, group_records, record
from qviz.pipeline.rows import Row
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.stream import Stream


def row_of(x, granularity="per_tensor", bits=2, **options):
    target = Target.of(QuantSpec(bits), Granularity.parse(granularity))
    stream = Stream.of(np.asarray(x, np.float32), target.granularity)
    return compare(stream, (MinMaxObserver(),), target, **options).rows[0]


def test_one_group():
    one = record(row_of([-1, -0.25, 0, 0.5, 1]))  # scale 2/3, zero point 2
    assert (one.observer, one.group, one.lo, one.hi) == ("minmax", None, -1, 1)
    assert (one.quant_min, one.quant_max, one.zero_point) == (0, 3, 2)
    assert isinstance(one.zero_point, int)
    assert one.scale == pytest.approx(2 / 3)
    assert one.readings["mse"].value == pytest.approx(0.0625)  # (1/9 + 1/16 + 1/36 + 1/9) / 5
    assert one.exact is True and one.approximate == ()


def test_groups():
    row = row_of([[-1, 0.4, 1], [0, 0.7, 3]], "per_channel:0")
    whole, groups = record(row), list(group_records(row))
    assert (whole.lo, whole.hi, whole.scale, whole.zero_point) == (None,) * 4
    assert (whole.quant_min, whole.quant_max) == (0, 3)
    assert [(g.group, g.lo, g.hi) for g in groups] == [(0, -1, 1), (1, 0, 3)]
    assert groups[1].scale == 1 and groups[1].zero_point == 0
    assert groups[1].readings["mse"].value == pytest.approx(0.09 / 3)  # 0.7 comes back as 1
    assert whole.readings["mse"].value == pytest.approx(
        (groups[0].readings["mse"].value + groups[1].readings["mse"].value) / 2
    )


def test_one_group_has_no_group_records():
    assert list(group_records(row_of([0, 1]))) == []


def test_refused():
    row = row_of([np.nan])
    one = record(row)
    assert "no finite element" in (one.refused or "")
    assert one.exact is None and one.readings == {} and one.lo is None
    assert list(group_records(row)) == []


def test_qparams_given_by_the_observer_show_what_they_cover():
    row = row_of([-1, 0, 1])
    given = Row(**{**vars(row), "range": None, "covered": Range(-4 / 3, 2 / 3)})
    one = record(given)
    assert (one.lo, one.hi) == pytest.approx((-4 / 3, 2 / 3))


def test_a_range_off_a_sketch_is_not_exact():
    row = row_of([-1, 0, 1])
    assert record(Row(**{**vars(row), "range": Range(-1, 1, exact=False)})).exact is False


def test_what_a_sketch_gives_is_named():
    x = np.random.default_rng(0).standard_normal(1_000_000)
    live, exact = (record(row_of(x, bits=8, exact=e)) for e in (False, True))
    assert {"sqnr", "clipped", "codes_used"} <= set(live.approximate)
    assert live.exact is False and exact.exact is True


def test_a_mode_without_qparams_has_none():
    row = row_of([-1, 0, 1])
    bare = record(Row(**{**vars(row), "qparams": None}))
    assert (bare.scale, bare.zero_point) == (None, None)


def test_a_zero_point_between_codes_stays_what_it_is():
    row = row_of([-1, 0, 1])
    qparams = {"scale": np.array([1.0]), "zero_point": np.array([1.5])}
    assert record(Row(**{**vars(row), "qparams": qparams})).zero_point == 1.5


def test_a_record_without_result_is_refused():
    assert record(Row(MinMaxObserver())) is not None
    assert isinstance(record(Row(MinMaxObserver())), Record)
    assert record(Row(MinMaxObserver())).refused
