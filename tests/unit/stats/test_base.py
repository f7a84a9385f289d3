"""What was seen, and one piece of a stream."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.spec import Granularity
from qviz.stats.base import NOTHING, Batch, PerBatch, Seen
from qviz.stats.minmax import MinMax
from qviz.stats.moments import Moments
from qviz.stats.sketch import Sketch


def test_equal_recipes_are_one_key():
    seen = Seen({Sketch(16): "coarse", PerBatch(MinMax()): ("a", "b")}, batches=2)
    assert seen[Sketch()] == "coarse"
    assert seen[PerBatch(MinMax())] == ("a", "b")
    assert Sketch(20) not in seen


def test_a_recipe_that_was_not_gathered_is_named():
    with pytest.raises(QvizError, match=r"Moments\(\) was not gathered\. An observer must list it"):
        NOTHING[Moments()]


def test_upto_holds_the_first_batches_of_per_batch_states_only():
    seen = Seen({MinMax(): "all", PerBatch(MinMax()): ("a", "b", "c")}, batches=3)
    first = seen.upto(2)
    assert first[PerBatch(MinMax())] == ("a", "b")
    assert MinMax() not in first
    assert first.batches == 2
    assert seen.upto(9).batches == 3


def test_a_batch_knows_its_rows_and_their_shape_without_making_them():
    x = np.arange(24.0).reshape(2, 3, 4)
    batch = Batch(x, Granularity("per_channel", 1), slice(1, 3))
    assert batch.shape == (2, 8)
    assert "rows" not in vars(batch)
    assert batch.rows.tolist() == [
        [4, 5, 6, 7, 16, 17, 18, 19],
        [8, 9, 10, 11, 20, 21, 22, 23],
    ]
    assert batch.x is x


def test_a_batch_without_groups_has_no_elements():
    assert Batch(np.zeros((0, 5)), Granularity("per_channel", 0)).shape == (0, 0)
