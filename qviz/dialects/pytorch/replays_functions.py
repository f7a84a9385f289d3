"""Recorded vectors of PyTorch's functions, and of torchao, played through the door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects import REPLAYS, Case, Check
from qviz.dialects.pytorch import door
from qviz.dialects.pytorch.dialect import (
    DYNAMIC,
    FAKE_QUANTIZE,
    FAKE_QUANTIZE_CHANNEL,
    LEARNABLE,
    QUANTIZE,
    QUANTIZE_CHANNEL,
    TORCHAO,
)
from qviz.dialects.pytorch.replays import NO_ERROR, outcome, refused, summed, values


def _numbers(case: Case) -> tuple[Any, Any]:
    """Scale and zero point: 0-d arrays stand for numbers."""
    scale, zero = (np.asarray(case[name]) for name in ("scale", "zp"))
    if scale.ndim == 0:
        return scale.item(), zero.item()
    return case.array(scale), case.array(zero)


def _played(case: Case, call: Callable[[], tuple[Any, ...]], names: str) -> Iterator[Check]:
    """The values of a call by their recorded names, or the error recorded in their place."""
    got = outcome(call)
    if "raises" in case.fields:
        yield refused("raises", got, case.fields)
    elif isinstance(got, str):
        yield Check("raises", got, NO_ERROR)
    else:
        named = dict(zip(names.split(), got, strict=True))
        sums = {name: named.pop(name) for name in ("gscale", "gzp") if name in named}
        yield from values(named, case.fields)
        yield from summed(sums, case.fields, case)


@REPLAYS.register("pytorch.fq_tensor", title="Fake quantize", source=FAKE_QUANTIZE)
def play_fake_quantize(case: Case) -> Iterator[Check]:
    """Values and mask with one scale; the function without the mask gives the same."""
    given = (case.array(case["x"]), *_numbers(case), case["quant_min"], case["quant_max"])
    masked = door.fake_quantize_per_tensor_affine_cachemask
    yield from _played(case, lambda: masked(*given), "y mask")
    yield from _played(case, lambda: (door.fake_quantize_per_tensor_affine(*given),), "y")


@REPLAYS.register(
    "pytorch.fq_channel", title="Fake quantize, channels", source=FAKE_QUANTIZE_CHANNEL
)
def play_channel_fake_quantize(case: Case) -> Iterator[Check]:
    """Values and mask with one scale per channel."""
    given = (case.array(case["x"]), *_numbers(case), case["axis"])
    ends = (case["quant_min"], case["quant_max"])
    masked = door.fake_quantize_per_channel_affine_cachemask
    yield from _played(case, lambda: masked(*given, *ends), "y mask")


@REPLAYS.register("pytorch.learnable_tensor", title="Learnable", source=LEARNABLE)
def play_learnable(case: Case) -> Iterator[Check]:
    """Values, and the gradients of input, scale and zero point."""
    x, scale, zero, grad = (case.array(case[name]) for name in ("x", "scale", "zp", "gy"))
    rest = (scale, zero, case["quant_min"], case["quant_max"], case["grad_factor"])
    forward = door._fake_quantize_learnable_per_tensor_affine
    backward = door._fake_quantize_learnable_per_tensor_affine_backward
    yield from _played(
        case, lambda: (forward(x, *rest), *backward(grad, x, *rest)), "y gx gscale gzp"
    )


@REPLAYS.register("pytorch.learnable_channel", title="Learnable, channels", source=LEARNABLE)
def play_channel_learnable(case: Case) -> Iterator[Check]:
    """Values, and the gradients of input, scales and zero points."""
    x, scale, zero, grad = (case.array(case[name]) for name in ("x", "scale", "zp", "gy"))
    rest = (scale, zero, case["axis"], case["quant_min"], case["quant_max"], case["grad_factor"])
    forward = door._fake_quantize_learnable_per_channel_affine
    backward = door._fake_quantize_learnable_per_channel_affine_backward
    yield from _played(
        case, lambda: (forward(x, *rest), *backward(grad, x, *rest)), "y gx gscale gzp"
    )


@REPLAYS.register("pytorch.quantize_tensor", title="Quantize", source=QUANTIZE)
def play_quantize(case: Case) -> Iterator[Check]:
    """Codes, and what they stand for."""
    given = (case.array(case["x"]), *_numbers(case), case["dtype"])
    yield from _played(case, lambda: _codes(door.quantize_per_tensor(*given)), "q deq")


@REPLAYS.register("pytorch.quantize_channel", title="Quantize, channels", source=QUANTIZE_CHANNEL)
def play_channel_quantize(case: Case) -> Iterator[Check]:
    """Codes, and what they stand for, with one scale per channel."""
    given = (case.array(case["x"]), *_numbers(case), case["axis"], case["dtype"])
    yield from _played(case, lambda: _codes(door.quantize_per_channel(*given)), "q deq")


def _codes(made: door.QuantizedTensor) -> tuple[Any, Any]:
    return xp.astype(made.int_repr(), "int32"), made.dequantize()


@REPLAYS.register("pytorch.choose_qparams_dynamic", title="Dynamic", source=DYNAMIC)
def play_dynamic(case: Case) -> Iterator[Check]:
    """Scale and zero point of dynamic quantization."""
    given = (case.array(case["x"]), case["reduce_range"])
    yield from _played(case, lambda: door._choose_qparams_per_tensor(*given), "scale zp")


@REPLAYS.register("pytorch.torchao", title="torchao observers", source=TORCHAO)
def play_torchao(case: Case) -> Iterator[Check]:
    """Ranges, qparams, and the batch fake-quantized with them, after each batch."""
    granularity, args = _granularity(case["granularity"]), case.get("args", {})
    kind, common = getattr(door, case["cls"]), (case["mapping"], case["dtype"], granularity)
    made = kind(*common, api=case["api"], **args)
    codes = args.get("quant_min"), args.get("quant_max")
    for step in case["steps"]:
        x = case.array(step["x"])
        got = outcome(lambda x=x: made(x))
        if "forward" in step:
            yield refused("forward", got, step["forward"])
            continue
        if "min" in step:
            yield from values({"min": made.min_val, "max": made.max_val}, step)
        found = outcome(made.calculate_qparams)
        if "scale" in step:
            yield from values({"scale": found[0], "zp": found[1]}, step)
            size = door.get_block_size(tuple(x.shape), granularity)
            found = outcome(
                lambda x=x, size=size, pair=found: door.fake_quantize_affine(
                    x, size, pair[0], pair[1], case["dtype"], codes[0], codes[1]
                )
            )
        if "qparams" in step:
            yield refused("qparams", found, step["qparams"])
        elif "fq" in step:
            yield from values({"fq": found}, step)


def _granularity(text: str) -> Any:
    """``per_tensor``, ``per_axis_0``, ``per_group_4``, ``per_row``, ``per_token``."""
    kind, _, number = text.removeprefix("per_").partition("_")
    made = {"tensor": door.PerTensor, "row": door.PerRow, "token": door.PerToken}
    if kind in made:
        return made[kind]()
    return {"axis": door.PerAxis, "group": door.PerGroup}[kind](int(number))
