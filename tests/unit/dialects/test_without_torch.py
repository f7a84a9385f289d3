"""NumPy arrays are served without PyTorch, to the same bits."""

import json
import subprocess
import sys

import numpy as np

from qviz.observers.base import OBSERVERS
from qviz.pipeline import gather, settle
from qviz.pipeline.judging import ALWAYS
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.stats.stream import Stream
from tests.browser.serving import ROOT

PAIRS = (
    ("torch.histogram", "torch.affine"),
    ("torch.minmax", "torch.affine"),
    ("torch.moving_average", "torch.affine"),
    ("ti.percentile:range_shrink_percentile=1,fast_mode=true", "affine"),
    ("minmax", "tf.min_first"),
)


def outcomes(batches):
    """Bits of the covered range and of one round trip, for every pair."""
    out = []
    for spelling, mode in PAIRS:
        observer, target = OBSERVERS.make(spelling), Target.of(QuantSpec(8), mode=mode)
        stream = Stream.of(batches)
        seen = gather(stream.tiles[0], (*observer.needs, *ALWAYS))
        grid = settle(observer, seen, target).quantizer
        levels = grid.levels(0, 255)[0]
        back = np.asarray(grid.fake_quantize(batches[0].reshape(1, -1)), np.float64)[0]
        out.append([float(levels[0]).hex(), float(levels[-1]).hex(), float(back.sum()).hex()])
    return out


def batches():
    rng = np.random.default_rng(7)
    shape = (2, 3, 8, 9)
    return [rng.normal(0, 1 + k, shape).astype(np.float32) for k in range(3)]


def main():
    sys.stdout.write(json.dumps({"out": outcomes(batches()), "torch": "torch" in sys.modules}))


def test_numpy_needs_no_torch():
    import torch

    assert torch.__version__  # here it is loaded, in the other process it must not be
    code = "from tests.unit.dialects.test_without_torch import main; main()"
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    said = json.loads(ended.stdout)
    assert said == {"out": outcomes(batches()), "torch": False}
