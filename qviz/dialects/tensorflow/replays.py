"""How TensorFlow's recorded vectors are replayed through the public functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects import REPLAYS, Case, Check
from qviz.dialects.tensorflow import door
from qviz.dialects.tensorflow import fake_quant_door as fake
from qviz.dialects.tensorflow.concat import quantized_concat
from qviz.dialects.tensorflow.dialect import CONCAT, FAKE_QUANT, QUANTIZE, ROUND_TRIP
from qviz.dialects.tensorflow.round_trip_op import RoundTripOp
from qviz.errors import QvizError
from qviz.registry import Source
from qviz.xp import Array

Checks = Iterator[Check]
ENDED = "Abort"  # TensorFlow's process ends; here an invalid argument is told


def replay(op: str, source: Source) -> Callable[[Callable[[Case], Any]], Callable[[Case], Checks]]:
    """File a function that calls the op of a case, as the replay that checks what it gives."""

    def file(call: Callable[[Case], Any]) -> Callable[[Case], Checks]:
        checks = partial(_checks, call)
        return REPLAYS.register(f"tensorflow.{op}", title=f"TF {op}", source=source)(checks)

    return file


def _checks(call: Callable[[Case], Any], case: Case) -> Checks:
    wanted = case.get("raises")
    if wanted is not None:
        yield Check("raises", _raised(call, case), "InvalidArgument" if wanted == ENDED else wanted)
        return
    found = call(case)
    found = found if isinstance(found, tuple) else (found,)
    for got, (name, want) in zip(found, case["expected"].items(), strict=True):
        yield Check(name, got, want, atol=_tolerance(case, name))


def _raised(call: Callable[[Case], Any], case: Case) -> str:
    try:
        call(case)
    except QvizError as error:
        return getattr(error, "stands_for", type(error).__name__)
    return "nothing"


def _tolerance(case: Case, name: str) -> Any:
    """Of a float32 sum whose order of additions is TensorFlow's own, else 0."""
    share = case.get("compare", {}).get(name, {}).get("rtol_sum_abs", 0.0)
    if not share:
        return 0.0
    sizes = np.abs(case["inputs"]["gradients"].astype(np.float64))
    axes = tuple(range(sizes.ndim - case["expected"][name].ndim))
    return share * sizes.sum(axis=axes)


def _inputs(case: Case) -> dict[str, Array]:
    return {name: case.array(x) for name, x in case["inputs"].items()}


def _wrapped(case: Case) -> dict[str, Any]:
    """Parameters with the axis as the wrappers take it: none instead of any below 0."""
    axis = case["params"]["axis"]
    return {**case["params"], "axis": axis if axis >= 0 else None}


@replay("quantize", QUANTIZE)
def _quantize(case: Case) -> Any:
    return door.quantize(**_inputs(case), **_wrapped(case))


@replay("dequantize", QUANTIZE)
def _dequantize(case: Case) -> Any:
    params = _wrapped(case)
    del params["T"]  # the type of the codes
    out = door.dequantize(**_inputs(case), **params)
    return out.view(xp.namespace(out).uint16) if xp.dtype_name(out) == "bfloat16" else out


@replay("fake_quant_args", FAKE_QUANT)
def _args(case: Case) -> Any:
    return fake.fake_quant_with_min_max_args(**_inputs(case), **case["params"])


@replay("fake_quant_args_gradient", FAKE_QUANT)
def _args_gradient(case: Case) -> Any:
    return fake.fake_quant_with_min_max_args_gradient(**_inputs(case), **case["params"])


@replay("fake_quant_vars", FAKE_QUANT)
def _vars(case: Case) -> Any:
    return fake.fake_quant_with_min_max_vars(**_inputs(case), **case["params"])


@replay("fake_quant_vars_gradient", FAKE_QUANT)
def _vars_gradient(case: Case) -> Any:
    return fake.fake_quant_with_min_max_vars_gradient(**_inputs(case), **case["params"])


@replay("fake_quant_per_channel", FAKE_QUANT)
def _per_channel(case: Case) -> Any:
    return fake.fake_quant_with_min_max_vars_per_channel(**_inputs(case), **case["params"])


@replay("fake_quant_per_channel_gradient", FAKE_QUANT)
def _per_channel_gradient(case: Case) -> Any:
    made = fake.fake_quant_with_min_max_vars_per_channel_gradient
    return made(**_inputs(case), **case["params"])


@replay("quantize_and_dequantize_v2", ROUND_TRIP)
def _v2(case: Case) -> Any:
    if case["params"]["axis"] < -1:  # the wrappers cannot say so
        return RoundTripOp(**case["params"])(**_inputs(case))
    return door.quantize_and_dequantize(**_inputs(case), **_wrapped(case))


@replay("quantize_and_dequantize_v3", ROUND_TRIP)
def _v3(case: Case) -> Any:
    return door.quantize_and_dequantize_v3(**_inputs(case), **case["params"])


@replay("quantize_and_dequantize_v4", ROUND_TRIP)
def _v4(case: Case) -> Any:
    if case["params"]["axis"] < -1:
        return RoundTripOp(**case["params"])(**_inputs(case))
    return door.quantize_and_dequantize_v2(**_inputs(case), **_wrapped(case))


@replay("quantize_and_dequantize_v4_grad", ROUND_TRIP)
def _v4_grad(case: Case) -> Any:
    return door.quantize_and_dequantize_v4_grad(**_inputs(case), **case["params"])


@replay("quantized_concat", CONCAT)
def _concat(case: Case) -> Any:
    given, count = _inputs(case), case["params"]["n"]
    values, mins, maxes = (
        [given[f"{name}_{i}"] for i in range(count)] for name in ("value", "min", "max")
    )
    return quantized_concat(case["params"]["concat_dim"], values, mins, maxes)
