"""Values with counts, against the standard library's."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qviz.stats.multiset import Multiset

LISTS = st.lists(st.sampled_from([-2.5, -0.0, 0.0, 1.0, 3.0]), max_size=30)


def of(values):
    return Multiset.of(np.array(values, np.float32))


@given(LISTS, LISTS)
def test_a_sum_is_the_multiset_of_both(a, b):
    both = of(a) + of(b)
    assert dict(zip(both.values.tolist(), both.counts.tolist(), strict=True)) == Counter(a + b)
    assert both.values.tolist() == sorted(set(a + b))


@given(LISTS.filter(bool), st.integers(0, 29))
def test_ranks_are_those_of_the_sorted_elements(values, k):
    k = min(k, len(values) - 1)
    assert of(values).rank(k) == sorted(values)[k]


def test_types_and_minus_zero():
    one = of([-0.0])
    assert (one.values.dtype, one.counts.dtype) == (np.float64, np.int64)
    assert not np.signbit(one.values[0])
