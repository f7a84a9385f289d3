import numpy as np

from qviz.sources.synthetic import Samples
from tests.unit.pipeline.loud import weight


def test_the_weight_of_the_loud_channel_holds_no_random_number():
    made = Samples()["loud_channel_weight"]
    assert made.shape == (64, 32)
    np.testing.assert_array_equal(made, weight().astype(np.float32))
