"""pytorch/pytorch#123309, #29768: a second batch widens the range 1e9 times."""

import time
import tracemalloc

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import first, named

A = np.random.default_rng(0).uniform(0, 1e-6, 1000)
B = np.random.default_rng(1).uniform(0, 1e3, 1000)


def test_it_takes_neither_time_nor_memory():
    case = Case.of([A, B], observer="torch.histogram")
    first(Case.of([A, B]))  # the rules are imported
    tracemalloc.start()
    start = time.process_time()
    found = first(case)
    spent = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found[0] == "RANGE-JUMP"
    assert spent < 10 and peak < 50e6  # ten times what it takes: machines differ


def test_the_batch_is_named_and_what_is_left_of_the_first():
    found = named(Case.of([A, B]), "RANGE-JUMP")
    assert found.evidence["batch"] == 1
    assert (
        found.evidence["ratio"] == pytest.approx(B.max() / A.max()) == pytest.approx(1e9, rel=1e-2)
    )
    assert found.evidence["bins_at_old_width"] == pytest.approx(2.0e12, rel=0.03)
    assert found.evidence["sqnr_others"] == pytest.approx(0)
    assert found.severity == "high"


def test_batches_that_grow_a_little_are_no_jump():
    assert "RANGE-JUMP" not in first(Case.of([B / 50, B]), 9)


def test_the_first_batch_is_given_its_range_back():
    found = named(Case.of([A, B]), "RANGE-JUMP")
    (fix,) = found.fixes
    assert "median batch" in fix.action and fix.measured_at == "other batches"
    step = A.max() / 255
    alone = 10 * np.log10((A**2).sum() / ((np.rint(A / step) * step - A) ** 2).sum())
    assert fix.gain_db == pytest.approx(alone, abs=0.01)  # of 0 dB: nothing was left
