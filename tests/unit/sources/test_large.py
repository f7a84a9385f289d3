"""A checkpoint of 90 MB and 104 tensors is listed at once, and one tensor is read alone."""

import subprocess
import sys

import numpy as np
import onnx
import pytest
import torch
from safetensors.numpy import save_file

SIZE = 216_000  # elements of each of 104 tensors: 90 MB in float32
NAMES = [f"layer{n}.weight" for n in range(104)]

PROGRAM = """
import sys, time, resource
from qviz.sources.base import LOADERS, open_file
if "pt" in sys.argv[1]:
    import torch
list(LOADERS)

def anonymous():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

before, start = anonymous(), time.process_time()
source = open_file(sys.argv[1])
listed = time.process_time() - start
x = source["layer50.weight"]
total = float(x.sum())
print(len(source), listed, total, anonymous() - before)
"""


def write_onnx(path, arrays):
    stored = [onnx.numpy_helper.from_array(x, name) for name, x in arrays.items()]
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], stored)), path)


def write_pt(path, arrays):
    torch.save({name: torch.from_numpy(x) for name, x in arrays.items()}, path)


WRITERS = {
    "a.safetensors": lambda path, arrays: save_file(arrays, path),
    "a.pt": write_pt,
    "a.onnx": write_onnx,
    "a.npz": lambda path, arrays: np.savez(path, **arrays),
}


@pytest.mark.parametrize("name", WRITERS)
def test_it_is_listed_in_two_seconds_and_a_tensor_read_alone(tmp_path, name):
    arrays = {name: np.full(SIZE, 0.5, np.float32) for name in NAMES}
    WRITERS[name](tmp_path / name, arrays)
    assert (tmp_path / name).stat().st_size > 89e6
    words = [sys.executable, "-c", PROGRAM, str(tmp_path / name)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    count, seconds, total, kibibytes = map(float, done.stdout.split())
    assert (count, total) == (104, SIZE / 2)
    assert seconds < 2
    assert kibibytes < 32 * 1024  # of 90 MB
