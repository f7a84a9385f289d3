"""Some batches under the step of all."""

import numpy as np
import pytest

from qviz.doctor import Case
from qviz.doctor.batchwise import LOOKED, gains, left, parted, settled
from qviz.doctor.settings import changed
from qviz.spec import QuantSpec

INT8 = QuantSpec(8, signed=True, symmetric=True)
SMALL, LARGE = np.array([0.3, -0.8, np.nan, 0.1]), np.array([127.0, -64.0])


def test_what_is_left_of_some_batches():
    case = Case.of([SMALL, LARGE], INT8)
    made = case.row.quantizer
    kept, back = np.array([0.3, 0.8, 0.1]), np.array([0.0, 1.0, 0.0])  # a step of 1
    wanted = 10 * np.log10((kept**2).sum() / ((back - kept) ** 2).sum())
    assert left([SMALL], made) == pytest.approx(wanted)
    assert left([LARGE], made) == 200  # whole numbers come back
    assert left([np.zeros(3)], made) is None


def test_ways_are_tried_on_all_and_measured_on_some():
    case = Case.of([SMALL, LARGE], INT8)
    ways = [
        ("narrow", changed(case, observer="manual:lo=-0.8,hi=0.8")),
        ("none", changed(case, observer="manual:lo=0,hi=0")),
        ("same", changed(case, observer="absmax")),
    ]
    found = gains(case, ways, [SMALL], "here")
    assert [fix.action for fix in found.fixes] == ["narrow"]
    assert found.fixes[0].measured_at == "here" and found.fixes[0].gain_db > 30
    assert gains(case, ways, [np.zeros(3)], "here").fixes == ()


def test_values_are_parted_by_their_magnitude():
    near, far = parted(Case.of([SMALL, LARGE]), 0.8)
    assert near.tolist() == [0.3, -0.8, 0.1] and far.tolist() == [127, -64]
    x = np.ones(LOOKED + 3, np.float32)
    x[:2] = 5, np.inf
    near, far = parted(Case.of(x), 1.0)
    assert near.size == LOOKED // 2 + 1 and far.tolist() == [5]  # evenly spaced


def test_what_a_setting_comes_to():
    case = Case.of([SMALL, LARGE], INT8)
    made = settled(case, changed(case, observer="manual:lo=-0.8,hi=0.8"))
    assert made.step[0] == pytest.approx(0.8 / 127)
    assert settled(case, changed(case, mode="torch.per_channel_affine")) is None
