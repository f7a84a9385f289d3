"""A tensor as it comes back under a setting, as a model takes it in place of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qviz import xp
from qviz.doctor.case import Case
from qviz.doctor.settings import Setting
from qviz.errors import QvizError
from qviz.models.fake import fake_quantized
from qviz.transforms.base import Operand


def returned(case: Case, setting: Setting) -> np.ndarray:
    """All elements, batch after batch, flat and of their own type; what is not finite stays.

    Raises
    ------
    QvizError
        The setting cannot serve, or its transform lacks the channels or the other tensor.
    """
    batches = [xp.host(batch) for batch in case.values.batches]
    if setting.transform is None:
        parts = fake_quantized(batches, setting.observer, setting.target)
    else:
        parts = _transformed(case, setting, batches)
    return np.concatenate([part.reshape(-1) for part in parts])


def _transformed(case: Case, setting: Setting, batches: list[np.ndarray]) -> list[np.ndarray]:
    axis = case.channel_axis
    if setting.transform is None or axis is None or len({x.ndim for x in batches}) > 1:
        raise QvizError("The tensor has no channels that could be changed.")
    rows = [np.moveaxis(x, axis, -1) for x in batches]
    whole = np.concatenate([x.reshape(-1, x.shape[-1]) for x in rows])
    change = setting.transform.change(Operand(whole, 1), case.operand or case.following)
    target = replace(setting.target, granularity=change.granularity)
    changed = ((whole - change.shift) / change.factor).astype(whole.dtype)
    (back,) = fake_quantized([changed], setting.observer, target)
    back = (back * change.factor + change.shift).astype(whole.dtype)
    ends = np.cumsum([x.size // x.shape[-1] for x in rows])[:-1]
    parts = zip(np.split(back, ends), rows, strict=True)
    return [np.moveaxis(part.reshape(x.shape), -1, axis) for part, x in parts]
