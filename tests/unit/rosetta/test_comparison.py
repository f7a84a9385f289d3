"""Groups of equal codes and values, and shares counted one by one."""

import numpy as np
import pytest

from qviz.rosetta import comparison
from qviz.rosetta.comparison import compared, thinned
from tests.unit.rosetta.made import DOC, ORT, QINT8, RANGES, TF, TORCH, every, of


def plain(given, x):
    """Codes from the lowest and values, element by element."""
    codes = np.array([given.quantizer.quantize(np.float32([[v]]))[0, 0] for v in x], float)
    back = np.array([given.quantizer.fake_quantize(np.float32([[v]]))[0, 0] for v in x], float)
    return codes - given.ends[0], np.float32(back)


def test_torch_and_tf_give_most_values_and_no_code_alike():
    x = np.random.default_rng(0).uniform(-0.4, 2.4, 500).astype(np.float32)
    found = compared([of(TORCH, -0.5, 2.5), of(TF, -0.5, 2.5)], x, TORCH)
    a, b = (plain(row.answer, x) for row in found.rows)
    row = found.row(TF)
    assert row.group == 1 and row.codes_differ == 1.0 == (a[0] != b[0]).mean()
    assert row.values_differ == (a[1] != b[1]).mean() < 0.01
    assert found.reference.answer.rule.name == TORCH


def test_shares_and_the_largest_difference():
    x = np.random.default_rng(1).uniform(-1, 1, 300).astype(np.float32)
    found = compared([of(TORCH, -1, 1), of(QINT8, -1, 1), of(ORT, -1, 1)], x, TORCH)
    a, b = plain(of(TORCH, -1, 1), x), plain(of(QINT8, -1, 1), x)
    row = found.row(QINT8)
    assert row.codes_differ == (a[0] != b[0]).mean() > 0.9
    assert row.values_differ == (a[1] != b[1]).mean()
    step = np.float64(of(TORCH, -1, 1).scale)
    assert row.at_most == pytest.approx(np.abs(np.float64(a[1]) - b[1]).max() / step)


def test_signed_and_unsigned_codes_of_one_grid_are_one_group():
    x = np.linspace(-0.5, 2.5, 777, dtype=np.float32)
    names = ("mindspore.default@gpu uint8", DOC, "mindspore.default@ascend uint8")
    found = compared([of(name, -0.5, 2.5) for name in names], x)
    assert [row.group for row in found.rows] == [0, 0, 0]
    assert all(row.codes_differ == row.values_differ == 0 for row in found.rows)


@pytest.mark.parametrize("lo_hi", RANGES)
def test_groups_hold_all_rules_in_one_order(lo_hi):
    given = every(*lo_hi)
    x = np.float32([v for v in (lo_hi[0], 0.25, lo_hi[1]) if np.isfinite(v)])
    found = compared(given, x, TORCH)
    assert sorted(row.answer.rule.name for row in found.rows) == sorted(
        one.rule.name for one in given
    )
    groups = [row.group for row in found.rows]
    assert groups == sorted(groups) and set(groups) == set(range(len(found.groups)))
    assert found.reference.answer.rule.name == TORCH and groups[0] == 0
    for group in found.groups:
        assert len({row.answer.degenerate for row in group if not row.answer.usable}) <= 1


def test_the_largest_group_leads_unless_a_rule_is_named(monkeypatch):
    monkeypatch.setattr(comparison, "CHUNK", 7)  # pieces are joined
    x = np.linspace(0, 1, 100, dtype=np.float32)
    given = [of(QINT8, 0, 1), of(TORCH, 0, 1), of(ORT, 0, 1), of("affine uint8", 0, 1)]
    found = compared(given, x)
    assert found.reference.answer.rule.name == TORCH
    assert [row.group for row in found.rows] == [0, 0, 1, 2]


def test_thinning_keeps_finite_float32(monkeypatch):
    monkeypatch.setattr(comparison, "MOST", 10)
    x = np.arange(40, dtype=np.float64)
    x[4] = np.nan
    assert thinned(x).tolist() == [0, 8, 12, 16, 20, 24, 28, 32, 36]
    assert thinned(x[:3]).dtype == np.float32
