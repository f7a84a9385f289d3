"""NumPy arrays are served at the door without PyTorch, to the same bits."""

import json
import subprocess
import sys

import numpy as np

from qviz.dialects import pytorch
from tests.browser.serving import ROOT


def answers():
    """Bits of what the door says of NumPy arrays."""
    x = np.random.default_rng(3).normal(size=(4, 6, 5)).astype(np.float32)
    histogram = pytorch.HistogramObserver(bins=64)
    fused = pytorch.default_fused_per_channel_wt_fake_quant()
    learning = pytorch._LearnableFakeQuantize(pytorch.MinMaxObserver)
    search = pytorch.AffineQuantizedMSEObserver("SYMMETRIC", "int4", pytorch.PerAxis(0), steps=9)
    for k in (1, 2):
        histogram(x * k)
        found = [fused(x * k), learning(x * k)]
        search(x * k)
    found += [*histogram.calculate_qparams(), histogram.histogram, search.max_val]
    found.append(learning.gradients(x).parameters["scale"])
    found.append(pytorch.quantize_per_tensor(x, 0.02, 3, "quint8").dequantize())
    return [np.ascontiguousarray(v).tobytes().hex() for v in found]


def main():
    sys.stdout.write(json.dumps({"answers": answers(), "torch": "torch" in sys.modules}))


def test_numpy_needs_no_torch():
    import torch

    assert torch.__version__  # here it is loaded, in the other process it must not be
    code = f"from {__name__} import main; main()"
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {"answers": answers(), "torch": False}
