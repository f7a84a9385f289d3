"""A setting tried on a sample of the tensor: what comes back of it, and of a product with it."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.axes import thinned
from qviz.doctor.case import Case
from qviz.doctor.channels import ROWS, SAMPLE
from qviz.doctor.settings import Setting
from qviz.spec import PER_TENSOR, Role
from qviz.transforms.base import Change, Operand, Transform
from qviz.transforms.trials import Trial, Unchanged, trial


class Rows(Transform):
    """A step of its own for each row; the values stay."""

    def change(self, x: Operand, other: Operand | None) -> Change:
        return Change.none(x.channels, ROWS)


def sample(case: Case) -> Operand:
    """Some of the values as (others, channels); one channel where the tensor has none."""
    if case.channels is not None:
        return Operand(case.channels.matrix, 1)
    parts = [xp.host(xp.working(batch.reshape(-1))) for batch in case.values.batches]
    flat = np.concatenate(parts)
    return Operand(flat[:: max(1, -(-flat.size // SAMPLE))][:, None], 1)


def tried(x: Operand, setting: Setting, other: Operand | None) -> Trial:
    """What comes of a setting, with its transform, on such an operand."""
    rows = setting.target.granularity != PER_TENSOR
    transform = setting.transform or (Rows() if rows else Unchanged())
    return trial(x, transform, setting.observer, setting.target, other)


def inside(case: Case) -> int | None:
    """The axis along which the product adds up; None where the operand does not fit."""
    first, operand = case.values.batches[0], case.operand
    rank = len(first.shape)
    if operand is None or rank < 2:
        return None
    custom = rank - 1 if case.role != Role.WEIGHT else 1
    axis = (custom if case.inner is None else case.inner) % rank
    return axis if first.shape[axis] == operand.channels else None


def of_product(case: Case, setting: Setting) -> float | None:
    """SQNR in dB of the product with the other operand; None where the setting cannot serve."""
    axis = inside(case)
    if axis is None:
        return None
    granularity = setting.target.granularity
    if granularity.kind == "per_channel" and granularity.axis % case.values.batches[0].ndim == axis:
        return None  # a sum cannot be undone channel by channel
    x = Operand(thinned(case.values.batches[0], axis, SAMPLE), axis)
    return tried(x, setting, case.operand).output
