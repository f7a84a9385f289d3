import numpy as np
import pytest

from qviz.doctor import Case, Given, examined
from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.stats.minmax import MinMax
from tests.unit.doctor.generators import INT8, NARROW, normal


def test_an_array_and_spelled_parts_make_a_case():
    made = Case.of(
        normal(8, 9), INT8, observer="percentile:keep=99.99", mode="torch.affine",
        granularity="per_channel:1", role="weight", name="w",
    )  # fmt: skip
    assert made.target == Target.of(INT8, made.target.granularity, "torch.affine")
    assert str(made.target.granularity) == "per_channel:1" and not made.per_tensor
    assert (made.channel_axis, made.channels.count, made.name) == (1, 9, "w")


def test_batches_along_an_axis_are_batches():
    made = Case.of(normal(3, 8, 4), batch_axis=0, role="activation")
    assert len(made.values.batches) == 3 and made.channel_axis == 1
    assert made.channels.matrix.shape == (24, 4)
    assert made.seen.batches == 3 and made.facts.n.tolist() == [96]


def test_what_is_missing_is_a_qviz_error():
    with pytest.raises(QvizError, match="no values"):
        _ = Case.of().seen
    with pytest.raises(QvizError, match="no finite element"):
        _ = Case.of(np.full(4, np.nan)).ends
    with pytest.raises(QvizError, match="not one step"):
        _ = Case.of(normal(4, 8), granularity="per_channel:0").grid
    with pytest.raises(QvizError, match="do not count from 0"):
        _ = Case.of(normal(64), mode="tf.min_combined").grid


def test_given_qparams_take_the_observers_place():
    made = Case.of(normal(), given=Given.of(0.5, 3, (0, 7)))
    assert (made.grid.scale[0], made.grid.zero_point[0], made.grid.ends) == (0.5, 3, (0, 7))
    unsound = Case.of(normal(), given=Given.of(0.0, 0))
    assert unsound.grid.scale[0] != 0 and unsound.scales.tolist() == [0]


def test_given_qparams_of_each_channel():
    w = np.array([[1.0, -1.0], [8.0, 3.0]], np.float32)
    given = Given.of([0.5, 4.0], 0, (-4, 3))
    made = Case.of(w, QuantSpec(3, signed=True), given=given, granularity="per_channel:0")
    back = made.row.quantizer.fake_quantize(w)
    assert back.tolist() == [[1.0, -1.0], [8.0, 4.0]]
    assert made.scales.tolist() == [0.5, 4.0]
    wrong = Case.of(w, given=Given.of([1.0] * 3), granularity="per_channel:0")
    assert "3 scales for 2 groups" in str(wrong.row.refused)


def test_rows_of_large_tensors_per_channel_are_taken_from_the_sample():
    x = normal(2, 300_000)
    x[1] *= 9
    made = Case.of(x, NARROW, role="weight", granularity="per_channel:0")
    assert made.channels.sampled and made.row.qparams["scale"].shape == (2,)
    assert made.scales[1] / made.scales[0] == pytest.approx(9, rel=0.2)
    assert made.channels.amax[1] == np.abs(x[1]).max()  # extremes are exact


def test_statistics_are_gathered_once():
    made = Case.of(normal(64, 64))
    assert made.seen is made.seen and MinMax() in made.seen
    assert set(made.needs) <= set(made.seen.states)


def test_bfloat16_is_looked_at():
    torch = pytest.importorskip("torch")
    x = torch.tensor(normal(64, 32)).to(torch.bfloat16)
    x[:, 3] *= 64
    made = examined(Case.of(x, INT8, role="activation"))
    assert made.findings[0].rule == "OUTLIER-CHANNEL" and made.skipped == {}
