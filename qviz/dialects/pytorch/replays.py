"""Recorded vectors of PyTorch's observers and modules, played through the door."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from qviz.dialects import REPLAYS, Case, Check
from qviz.dialects.pytorch import door
from qviz.dialects.pytorch.dialect import FAKE_QUANTIZE, MINMAX
from qviz.errors import QvizError

CANCELLING = 1e-4  # relative: NumPy sums the terms of a gradient in another order
SUMMED = 2e-5  # relative, with torch's own sum
NO_ERROR = "no error"


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or the name of the error that PyTorch raises there."""
    try:
        return call()
    except QvizError as error:
        return getattr(error, "stands_for", type(error).__name__)


def refused(name: str, got: Any, recorded: Mapping[str, Any]) -> Check:
    """A recorded error."""
    return Check(name, got if isinstance(got, str) else NO_ERROR, recorded["raises"])


def values(got: Mapping[str, Any], want: Mapping[str, Any]) -> Iterator[Check]:
    """Every recorded value of a step, -0 being 0."""
    for name, value in got.items():
        if name in want:
            yield Check(name, value, want[name], signed_zero=False)


def qparams(made: Any, want: Mapping[str, Any], prefix: str = "") -> Iterator[Check]:
    """What ``calculate_qparams`` answers, or refuses."""
    got = outcome(made.calculate_qparams)
    if "qparams" in want:
        yield refused("qparams", got, want["qparams"])
    elif isinstance(got, str):
        yield Check("qparams", got, NO_ERROR)
    else:
        yield from values({f"{prefix}scale": got[0], f"{prefix}zp": got[1]}, want)


@REPLAYS.register("pytorch.observer", title="Observers", source=MINMAX)
def play_observer(case: Case) -> Iterator[Check]:
    """Codes, qparams before data, and the state and qparams after each batch."""
    kind = getattr(door, case["cls"])
    made = outcome(lambda: kind(**case.get("args", {})))
    if "init" in case.fields:
        yield refused("init", made, case["init"])
        return
    yield Check("quant_min", made.quant_min, case["quant_min"])
    yield Check("quant_max", made.quant_max, case["quant_max"])
    yield from qparams(made, case.get("pre", {}))
    for step in case["steps"]:
        x = case.array(step["x"])
        got = outcome(lambda x=x: made(x))
        if "forward" in step:
            yield refused("forward", got, step["forward"])
            continue
        yield Check("forward", got is x, True)
        state = {"min": made.min_val, "max": made.max_val}
        state |= {"hist": made.histogram} if "hist" in step else {}
        yield from values(state, step)
        yield from qparams(made, step)


@REPLAYS.register("pytorch.module", title="Fake-quantize modules", source=FAKE_QUANTIZE)
def play_module(case: Case) -> Iterator[Check]:
    """Output, gradient, buffers, running state and both answers after each batch."""
    made = outcome(lambda: _module(case))
    if "init" in case.fields:
        yield refused("init", made, case["init"])
        return
    for step in case["steps"]:
        if step.get("learning"):
            made.enable_param_learning()
        y = outcome(lambda step=step: made(case.array(step["x"])))
        if "forward" in step:
            yield refused("forward", y, step["forward"])
            return
        got = {"y": y, "scale": made.scale, "zp": made.zero_point}
        watching = made.activation_post_process
        if "min" in step:
            got |= {"min": watching.min_val, "max": watching.max_val}
        yield from values(got, step)
        yield from _gradients(made, case, step)
        if "calc_scale" in step:
            yield from qparams(made, step, "calc_")


def _module(case: Case) -> Any:
    if "preset" in case.fields:
        return getattr(door, case["preset"])()
    given = dict(case.get("args", {}))
    if "observer" in case.fields:
        given["observer"] = case["observer"]
    return getattr(door, case["cls"])(**given)


def _gradients(made: Any, case: Case, step: Mapping[str, Any]) -> Iterator[Check]:
    if "gy" not in step:
        return
    grad = case.array(step["gy"])
    yield from values({"gx": made.backward(grad)}, step)
    if "gscale" in step:
        found = made.gradients(grad).parameters
        yield from summed({"gscale": found["scale"], "gzp": found["zero_point"]}, step, case)


def summed(got: Mapping[str, Any], want: Mapping[str, Any], case: Case) -> Iterator[Check]:
    """Gradients that are sums, with the tolerance that the order of additions needs."""
    for name, value in got.items():
        own = case.get("tol", {}).get(name, SUMMED)
        rtol = CANCELLING if case.backend == "numpy" else own
        yield Check(name, value, want[name], rtol=rtol, signed_zero=False)
