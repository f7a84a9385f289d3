"""The four calibraters through their readers."""

import inspect

import numpy as np
import onnxruntime.quantization.calibrate as theirs
import pytest

import qviz.dialects.onnxruntime as ours
from qviz.dialects.onnxruntime import (
    CalibrationMethod,
    InvalidValue,
    MinMaxCalibrater,
    create_calibrator,
)

NAMES = ["MinMaxCalibrater", "EntropyCalibrater", "PercentileCalibrater", "DistributionCalibrater"]
X = np.random.default_rng(0).laplace(size=(8, 50)).astype(np.float32)


class Reader:
    """A data reader as ONNX Runtime wants it."""

    def __init__(self, *batches):
        self._batches = iter(batches)

    def get_next(self):
        return next(self._batches, None)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_onnxruntimes(name):
    def signature(kind):
        parameters = inspect.signature(kind).parameters.values()
        return [(p.name, p.default) for p in parameters]

    assert signature(getattr(ours, name)) == signature(getattr(theirs, name))


@pytest.mark.parametrize(
    ("method", "options", "attributes"),
    [
        ("Entropy", {}, {"num_bins": 128, "num_quantized_bins": 128}),
        ("Percentile", {}, {"num_bins": 2048, "percentile": 99.999, "symmetric": True}),
        ("Percentile", {"symmetric": False, "percentile": 90}, {"symmetric": False}),
        ("Distribution", {}, {"num_bins": 2048, "scenario": "same"}),
        ("MinMax", {"moving_average": True}, {"moving_average": True, "symmetric": False}),
        ("MinMax", {"num_bins": 7}, {"averaging_constant": 0.01}),  # of another method
    ],
)
def test_create_calibrator_has_its_own_defaults(method, options, attributes):
    made = create_calibrator(
        "model.onnx", calibrate_method=CalibrationMethod[method], extra_options=options
    )
    assert {name: getattr(made, name) for name in attributes} == attributes
    assert made.model_path == "model.onnx"


def test_batches_of_a_reader_are_one_call():
    made = create_calibrator(None, calibrate_method=CalibrationMethod.Percentile)
    made.collect_data(Reader({"x": X[:4]}, {"x": X[4:]}))
    whole = create_calibrator(None, calibrate_method=CalibrationMethod.Percentile)
    whole.collect_data([{"x": X}])
    a, b = (c.compute_data()["x"].range_value for c in (made, whole))
    assert a == b
    assert made.compute_data().calibration_method is CalibrationMethod.Percentile


def test_several_tensors_are_told_apart():
    made = create_calibrator(None, calibrate_method=CalibrationMethod.Entropy)
    made.collect_data([{"x": X, "y": 2 * X}])
    found = made.compute_data()
    assert found["y"].highest == 2 * found["x"].highest == 2 * X.max()
    assert found["x"].hist.sum() == X.size and len(found["x"].bins) == 129


def test_min_max_over_calls():
    made = create_calibrator(None)
    made.collect_data([{"x": X[:4]}])
    made.collect_data([{"x": X[4:]}])
    assert made.compute_data()["x"].range_value == (X.min(), X.max())


def test_the_moving_average_averages_inside_a_call():
    made = MinMaxCalibrater(None, moving_average=True, averaging_constant=0.5)
    made.collect_data([{"x": np.float32([-1, 2])}, {"x": np.float32([-3, 4])}])
    assert made.compute_data()["x"].range_value == (-2, 3)
    made.collect_data([{"x": np.float32([-4, 5])}])
    assert made.compute_data()["x"].range_value == (-3, 4)


def test_symmetric_and_per_channel():
    made = MinMaxCalibrater(None, symmetric=True, per_channel=True)
    made.collect_data([{"x": np.float32([[1, -5], [-2, 3]])}])
    lo, hi = made.compute_data()["x"].range_value
    assert lo.tolist() == [-2, -5] and hi.tolist() == [2, 5]


@pytest.mark.parametrize("constant", [-0.1, 1.5])
def test_a_constant_is_a_share(constant):
    with pytest.raises(InvalidValue, match="no share"):
        MinMaxCalibrater(None, moving_average=True, averaging_constant=constant)
    assert MinMaxCalibrater(None, averaging_constant=constant).averaging_constant == constant


def test_what_is_refused():
    with pytest.raises(InvalidValue, match="not offered"):
        MinMaxCalibrater(None, max_intermediate_outputs=3)
    with pytest.raises(InvalidValue, match="No method"):
        create_calibrator(None, calibrate_method="Median")
    with pytest.raises(InvalidValue, match="No data is collected"):
        create_calibrator(None).collect_data(Reader())
    with pytest.raises(InvalidValue, match="no attribute"):
        ours.TensorData(mean=1)
