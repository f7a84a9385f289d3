"""What ``doctor`` is told besides values: qparams, codes, a bias, the other operand, weights."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace

import numpy as np

from qviz import xp
from qviz.cli.doctor_options import FILES, spec_of
from qviz.cli.inputs import opened
from qviz.cli.text import plain
from qviz.doctor.case import Case
from qviz.doctor.given import Bias, Given
from qviz.errors import QvizError
from qviz.sources.base import TensorInfo
from qviz.spec import Role
from qviz.transforms.base import Operand
from qviz.xp import Array

CODES = ("int8", "uint8")


def for_one(options: argparse.Namespace, count: int) -> None:
    """Refuse files that belong to one tensor where there are several."""
    for name in FILES:
        if count > 1 and getattr(options, name.removeprefix("--")) is not None:
            what = f"{name} belongs to one tensor, and {plain(options.input)} holds {count}."
            raise QvizError(what, "", "Name one: FILE::TENSOR.")


def known(case: Case, info: TensorInfo, options: argparse.Namespace) -> Case:
    """The case with all that the options tell of it.

    Raises
    ------
    QvizError
        A file that does not fit the tensor, or qparams that no code can have.
    """
    made = replace(case, symmetric_only=options.symmetric_only, stored_as=options.stored_as or "")
    if options.codes is None:
        made = replace(made, given=_given(options, info))
    else:
        made = _coded(made, info, options)
    if options.importance is not None:
        made = replace(made, importance=_importance(options.importance, info.shape))
    if options.operand is not None:
        made = replace(made, operand=_operand(made, info, options))
    return made if options.bias is None else replace(made, bias=_bias(made, info, options))


def _one(word: str) -> tuple[Array, TensorInfo]:
    """The only tensor that a word opens."""
    source, names = opened(word)
    if len(names) != 1:
        raise QvizError(f"{plain(word)} holds {len(names)} tensors.", "", "Name one: FILE::TENSOR.")
    return xp.enter(source[names[0]]), source.info(names[0])


def _numbers(word: str) -> np.ndarray:
    return xp.host(xp.working(_one(word)[0])).astype(np.float64)


def _given(options: argparse.Namespace, info: TensorInfo) -> Given | None:
    """Typed qparams, else those stored with codes."""
    ends = _ends(options, info)
    if options.scale is not None:
        return _typed(options.scale, options.zero_point or 0, ends)
    q = info.qparams
    if q is None or info.dtype not in CODES:
        return None
    return Given.of(q.scale.reshape(-1), q.zero_point.reshape(-1), q.ends or ends)


def _ends(options: argparse.Namespace, info: TensorInfo) -> tuple[int, int]:
    if options.quant_min is not None or info.dtype not in CODES:
        return spec_of(options).ends
    limits = np.iinfo(info.dtype)
    return int(limits.min), int(limits.max)


def _typed(scale: float, zero: int, ends: tuple[int, int]) -> Given:
    first, last = ends
    if not first <= zero <= last:
        why = f"The codes are {first} to {last}, and real 0 must have one."
        do = "Give --zero-point such a code (an offset is often its negative), or --signed."
        raise QvizError(f"Zero point {zero} is not one of the codes.", why, do)
    if math.isfinite(scale) and math.isinf(scale * (last - first)):
        what = f"{last - first} steps of {scale:g} reach beyond the largest float64."
        raise QvizError(what, "", "Give --scale a smaller step.")
    return Given.of(scale, zero, ends)


def _coded(case: Case, info: TensorInfo, options: argparse.Namespace) -> Case:
    """The case beside the codes that were stored for its values."""
    if case.codes is not None:
        raise QvizError(f"{plain(info.name)} holds codes itself.", "", "Drop --codes.")
    found, coded = _one(options.codes)
    codes, given = xp.host(found), _given(options, coded)
    if given is None:
        raise QvizError("Codes mean nothing without their scale.", "", "Give --scale too.")
    _fit("codes", codes.shape, info.shape)
    first, *more = case.values.batches
    if more:
        raise QvizError("Codes are compared with one batch.", "", "Drop --batch-axis.")
    low, high = given.quant_min, given.quant_max
    if not ((codes == np.rint(codes)) & (codes >= low) & (codes <= high)).all():
        what = f"{plain(options.codes)} holds numbers that are none of the codes {low} to {high}."
        raise QvizError(what, "", "Give --quant-min and --quant-max, or --signed.")
    return replace(case, codes=codes.reshape(first.shape), given=given)


def _importance(word: str, shape: tuple[int, ...]) -> np.ndarray:
    """Weights of the elements; one for each column serves all rows."""
    weights = _numbers(word)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        what = "Importance weights must be finite, and none below 0."
        raise QvizError(what, "", f"Look at {plain(word)}.")
    if weights.shape != shape[len(shape) - weights.ndim :]:
        _fit("importance weights", weights.shape, shape)
    return np.broadcast_to(weights, shape)


def _fit(what: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if tuple(shape) != tuple(wanted):
        said = f"The {what} have shape {tuple(shape)}, the values {tuple(wanted)}."
        raise QvizError(said, "Each value has one.", "Give those of this tensor.")


def _operand(case: Case, info: TensorInfo, options: argparse.Namespace) -> Operand:
    """The other tensor, along its axis that is as long as the one that the product adds up."""
    if case.stream is None:
        raise QvizError(f"{plain(info.name)} holds codes.", "A product needs values.", "")
    x, other = _one(options.operand)
    shape, theirs = tuple(case.values.batches[0].shape), other.shape
    if len(shape) < 2:
        raise QvizError("A product is made of rows.", f"This tensor has shape {shape}.", "")
    extent = shape[1 if info.role == Role.WEIGHT else -1]
    last = len(theirs) - 1
    axes = [last, 0] if last == 1 else [last] * (last >= 0)
    asked = options.operand_axis
    if asked is not None:
        axes = [asked % len(theirs)] if -len(theirs) <= asked < len(theirs) else []
    fitting = [axis for axis in axes if theirs[axis] == extent]
    if not fitting:
        what = f"{plain(options.operand)} of shape {theirs} cannot be multiplied with {shape}."
        why = f"{extent} products are added up, so its axis must have {extent} elements."
        raise QvizError(what, why, "Give the layer's other tensor, or --operand-axis.")
    return Operand(x, fitting[0])


def _bias(case: Case, info: TensorInfo, options: argparse.Namespace) -> Bias:
    values = _numbers(options.bias).reshape(-1)
    if not np.isfinite(values).all():
        raise QvizError(f"{plain(options.bias)} holds NaN or infinity.", "", "Give another bias.")
    if case.stream is None and case.given is None:
        raise QvizError("A bias is counted in steps of the weight.", "", "Give --scale too.")
    lengths = sorted(_outputs(case, info))
    if values.size not in lengths:
        what = f"{values.size} biases do not fit a weight of shape {info.shape}."
        said = " or ".join(map(str, lengths))
        raise QvizError(what, f"Each output has one: {said}.", "Give this layer's bias.")
    return Bias(values, options.input_scale)


def _outputs(case: Case, info: TensorInfo) -> set[int]:
    """How many outputs there may be: scales of a given kind, channels, else any axis."""
    if case.given is not None and case.given.scale.size > 1:
        return {case.given.scale.size}
    if not case.per_tensor:
        return {case.target.granularity.groups(tuple(case.values.batches[0].shape))}
    return set(info.shape) or {1}
