"""onnxruntime's own collector, quiet, and streams of odd tensors to compare with."""

import contextlib
import io
import warnings

import numpy as np
from onnxruntime.quantization.calibrate import HistogramCollector

from qviz.stats.base import Batch


def collected(batches, method="percentile", symmetric=False, **options):
    """(histogram, result) of onnxruntime; the name of its error in place of what fails."""
    given = {"num_bins": 128, "num_quantized_bins": 128, "percentile": 99.999, "scenario": "same"}
    given |= options
    collector = HistogramCollector(method, symmetric, *given.values())
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for x in batches:
                collector.collect({"x": x})
        except (ValueError, AssertionError, OverflowError) as error:
            return type(error).__name__, None
        try:
            result = collector.compute_collection_result()["x"]
        except (ValueError, AssertionError) as error:
            result = type(error).__name__
    return collector.histogram_dict["x"], result


def state_of(rule, batches):
    """The state of a recipe after all batches."""
    state = rule.start()
    for x in batches:
        state = rule.step(state, Batch(x))
    return state


def tensors(seed, dtype=np.float32):
    """Streams of one to four small batches of many kinds, the range growing in most."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        yield [_tensor(rng).astype(dtype) for _ in range(rng.integers(1, 5))]


def _tensor(rng):
    x = rng.standard_normal(rng.integers(1, 300)) * 2.0 ** rng.uniform(-1, 1)
    odd = {
        0: lambda: np.maximum(x, 0),
        1: lambda: np.abs(x) + 3,
        2: lambda: -np.abs(x) - 3,
        3: lambda: np.zeros_like(x),
        4: lambda: np.full_like(x, x[0]),
        5: lambda: np.rint(4 * x),
        6: lambda: np.where(rng.random(x.size) < 0.2, np.nan, x),
        7: lambda: x[:0],
        8: lambda: np.append(x, np.inf),
    }
    return odd.get(int(rng.integers(16)), lambda: x)()
