"""What a model's output misses where some channels of a tensor are lost."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.base import FROM, LOW, OUTPUT
from qviz.doctor.case import Case
from qviz.doctor.gains import measured
from qviz.doctor.remedies import MOST
from qviz.doctor.returned import returned
from qviz.doctor.settings import present


def missed(case: Case, channels: np.ndarray, axis: int) -> bool:
    """Whether the output gains 0.5 dB where these channels come back as they were.

    What steps for each channel gain is no measure of it: all channels are then finer.
    """
    now = measured(case, present(case), OUTPUT)
    if case.runs is None or now is None:
        return False
    whole = returned(case, present(case))
    flat, kept = [], []
    for batch in case.values.batches:
        shape = np.array(batch.shape)
        shape[np.arange(len(shape)) != axis] = 1
        kept.append(np.broadcast_to(channels.reshape(shape), batch.shape).reshape(-1))
        flat.append(xp.host(batch).reshape(-1))
    made = case.runs(np.where(np.concatenate(kept), np.concatenate(flat), whole))
    then = MOST if made.lossless else made.sqnr
    return then is not None and then - now >= FROM[LOW]
