"""The replay allows what the vectors allow, and nothing else."""

import numpy as np

from qviz.dialects.mindspore import FakeQuantWithMinMaxObserver
from qviz.golden.replay import replay
from qviz.golden.vectors import Vectors

OP = "mindspore.FakeQuantWithMinMaxObserver"
DEFAULTS = {
    "channel_axis": 1,
    "ema": False,
    "ema_decay": 0.999,
    "max_init": 127.0,
    "min_init": -128.0,
    "mode": "DEFAULT",
    "narrow_range": False,
    "neg_trunc": False,
    "num_channels": 1,
    "per_channel": False,
    "quant_delay": 0,
    "quant_dtype": "INT8",
    "symmetric": False,
    "training": False,
}
X = np.float32([[1.5, 3.25]])  # steps of 1: half-way, and a quarter above 3


def words(expected, reading="doc/f32", x=X, **params):
    """What the replay says of one case with these recorded values."""
    fields = {
        "id": "one",
        "op": OP,
        "params": DEFAULTS | params,
        "inputs": {"x0": x},
        "upstream_gradients": {"dout0": np.ones_like(x)},
        "expected": {reading: expected},
    }
    failures = replay(Vectors("mindspore", {}, (fields,))).failures
    return failures[0].words if failures else None


def test_half_way_may_go_either_way_in_float32():
    assert FakeQuantWithMinMaxObserver(-128, 127)(X).tolist() == [[2, 3]]
    assert words({"out0": np.float32([[2, 3]])}) is None
    assert words({"out0": np.float32([[1, 3]])}) is None
    assert "out0[1]" in words({"out0": np.float32([[2, 4]])})
    assert "out0[0]" in words({"out0": np.float64([[1, 3]])}, "doc/f64")


def test_two_units_in_the_last_place_elsewhere():
    unit = np.spacing(np.float32(3))
    assert words({"out0": np.float32([[2, 3 + 2 * unit]])}) is None
    assert "out0[1]" in words({"out0": np.float32([[2, 3 + 3 * unit]])})


def test_near_its_limits_ascend_lets_a_share_of_the_gradient_pass():
    x = np.float32([[1e-40, 1.0]])
    for dx in ([[1, 1]], [[0, 1]]):
        given = {"dx0": np.float32(dx), "dx_framework0": np.float32(dx)}
        assert words(given, "ascend/f32", x, min_init=0, max_init=255.0) is None
    assert "dx0[1]" in words({"dx0": np.float32([[1, 0]])}, "ascend/f32", x, min_init=0)
    assert "dx0[0]" in words({"dx0": np.float32([[0, 1]])}, "gpu/f32", x, min_init=0)


def test_a_value_that_nobody_computes_is_a_failure():
    assert "not computed" in words({"speed": np.float32([1])})
