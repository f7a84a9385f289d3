"""At how many batches the batch curve is taken."""

import pytest

from qviz.ui.panels import MOST_COUNTS, counts


@pytest.mark.parametrize(("batches", "upto"), [(1, 1), (2, 1), (12, 5), (MOST_COUNTS, 3)])
def test_few_batches_are_all_there(batches, upto):
    assert counts(batches, upto) == list(range(1, batches + 1))


@pytest.mark.parametrize(("batches", "upto"), [(17, 2), (1000, 777), (10**6, 10**6)])
def test_many_batches_are_thinned(batches, upto):
    found = counts(batches, upto)
    assert found[0] == 1 and found[-1] == batches and upto in found
    assert found == sorted(set(found)) and len(found) <= MOST_COUNTS + 1
