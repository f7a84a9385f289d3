"""Fake quantization of a whole tensor beside torch's operator: equal bit for bit, then timed."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import tensor
from qviz.bench.timing import Candidate, measure, reader, rows
from qviz.dialects.pytorch import MinMaxObserver, fake_quantize_per_tensor_affine
from qviz.errors import QvizError

REUSED, FRESH, THEIRS = "qviz: reused buffer", "qviz: new tensor", "torch"
GOAL = 4.0  # times faster
ENDS = (0, 255)
ODD = (np.nan, np.inf, -np.inf, 3e38, -3e38, 0.0, -0.0, 1e-45, -1e-45)


@JOBS.register("fakequant", title="Fake quantization of a whole tensor", source=SOURCE)
def fakequant(setup: Setup) -> Report:
    """torch.fake_quantize_per_tensor_affine with the qparams of min and max, 8 bits."""
    import torch

    if setup.dtype != "float32":
        raise QvizError(f"{setup.dtype} is not compared here.", "", "Choose float32.")
    x = tensor(setup)
    read, qparams = reader(x, setup), _qparams(x)
    steps = torch.arange(-600, 600) * (qparams[0] / 2)  # every other one is a tie
    verdicts = (_same("the tensor", x, qparams), _same("ties", steps, qparams))
    verdicts += (_same("odd values", torch.tensor(ODD, dtype=torch.float32), qparams),)
    if not all(verdict.holds for verdict in verdicts):
        return Report(verdicts=verdicts)
    buffer = torch.empty_like(x)
    candidates = [
        Candidate(REUSED, lambda: ours(x, qparams, out=buffer), THEIRS),
        Candidate(FRESH, lambda: ours(x, qparams), THEIRS),
        Candidate(THEIRS, lambda: theirs(x, qparams)),
    ]
    times = measure(read, candidates, setup.rounds)
    faster = times.ratio(THEIRS, REUSED)
    goal = Verdict("faster", faster >= GOAL, f"{faster:.1f} times, {GOAL:g} asked")
    reads = tuple(second * 1e3 for second in times.read)
    return Report(rows(times, candidates), verdicts, (goal,), (), times.void, reads)


def ours(x: Any, qparams: tuple[float, int], out: Any = None) -> Any:
    """Our values, in a buffer where one is given."""
    return fake_quantize_per_tensor_affine(x, *qparams, *ENDS, out=out)


def theirs(x: Any, qparams: tuple[float, int]) -> Any:
    """The values of torch's operator."""
    import torch

    return torch.fake_quantize_per_tensor_affine(x, *qparams, *ENDS)


def _qparams(x: Any) -> tuple[float, int]:
    observer = MinMaxObserver()
    observer(x)
    scale, zero_point = observer.calculate_qparams()
    return float(scale), int(zero_point)


def _same(name: str, x: Any, qparams: tuple[float, int]) -> Verdict:
    """Whether both give the same bits, signs of zero included."""
    import torch

    buffer = torch.empty_like(x)
    want = theirs(x, qparams).view(torch.int32)
    found = (ours(x, qparams, out=buffer), ours(x, qparams))
    wrong = max(int((got.view(torch.int32) != want).sum()) for got in found)
    words = f"{wrong} of {x.numel()} differ" if wrong else f"{x.numel()} equal bit for bit"
    return Verdict(name, not wrong, words)
