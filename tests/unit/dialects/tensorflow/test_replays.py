"""How a recorded case reaches the public functions."""

import numpy as np
import pytest
import torch

from qviz.dialects import REPLAYS, Case
from qviz.golden.compare import difference

f32 = np.float32


def checks(op, backend="numpy", **fields):
    array = (lambda x: torch.from_numpy(np.array(x))) if backend == "torch" else np.asarray
    return list(REPLAYS[f"tensorflow.{op}"](Case(fields, {}, array, backend)))


def test_each_output_is_checked_by_name():
    found = checks(
        "quantize",
        params={"T": "quint8", "axis": -1, "mode": "SCALED"},
        inputs={"input": f32([0, 5]), "min_range": f32(0), "max_range": f32(5)},
        expected={"output": np.uint8([0, 9]), "output_min": f32(0), "output_max": f32(5)},
    )
    assert [check.name for check in found] == ["output", "output_min", "output_max"]
    said = [difference(check) for check in found]
    assert said[0] == "output[1]: got np.uint8(255), recorded np.uint8(9) (1 of 2 differ)"
    assert all(check.atol == 0 and check.signed_zero for check in found)


RAISING = {
    "params": {"axis": -1, "round_mode": "HALF_TO_EVEN"},
    "inputs": {"input": f32([1]), "input_min": f32(2), "input_max": f32(1)},
}


@pytest.mark.parametrize(
    ("given", "recorded", "agrees"),
    [
        (True, "InvalidArgument", True),
        (True, "Abort", True),  # where their process ends
        (True, "NotFound", False),
        (False, "InvalidArgument", False),  # nothing is raised
    ],
)
def test_errors_are_checks_too(given, recorded, agrees):
    params = {**RAISING["params"], "range_given": given}
    fields = {**RAISING, "params": params, "raises": recorded}
    (check,) = checks("quantize_and_dequantize_v2", **fields)
    assert check.name == "raises" and (difference(check) is None) == agrees


def test_sums_have_the_tolerance_that_was_recorded():
    g = f32([[1, -2], [3, 4]])
    (_, low, high) = checks(
        "fake_quant_per_channel_gradient",
        params={"num_bits": 8, "narrow_range": False},
        inputs={"gradients": g, "inputs": g, "min": f32([-1, -1]), "max": f32([1, 1])},
        expected={
            "backprops_wrt_input": g,
            "backprop_wrt_min": f32([0, -2]),
            "backprop_wrt_max": f32([3, 4.5]),
        },
        compare={"backprop_wrt_max": {"rtol_sum_abs": 0.1}},
    )
    assert low.atol == 0 and difference(low) is None
    assert high.atol.tolist() == pytest.approx([0.4, 0.6])
    assert difference(high) is None


def test_bfloat16_tensors_are_compared_by_their_patterns():
    (check,) = checks(
        "dequantize",
        "torch",
        params={"T": "quint8", "axis": -1, "dtype": "bfloat16", "mode": "MIN_COMBINED"},
        inputs={"input": np.uint8([255]), "min_range": f32(0), "max_range": f32(1)},
        expected={"output": np.uint16([0x3F80])},
    )
    assert difference(check) is None


def test_an_axis_below_minus_one_is_the_kernels():
    fields = {
        "inputs": {"input": f32([[1, 2]]), "input_min": f32(0), "input_max": f32(1)},
        "raises": "InvalidArgument",
    }
    for op in ("quantize_and_dequantize_v2", "quantize_and_dequantize_v4"):
        (check,) = checks(op, params={"axis": -2}, **fields)
        assert check.got == "InvalidArgument"
