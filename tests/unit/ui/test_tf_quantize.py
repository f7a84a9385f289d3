"""What the page looks at: typed numbers, codes, slices, samples."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.types import TYPES
from qviz.dialects.tensorflow.views import answer
from qviz.errors import QvizError
from qviz.figures.tf_near_zero import verdict
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.ui.choice import Choice
from qviz.ui.library import _samples
from qviz.ui.tf_quantize.decode import codes_of
from qviz.ui.tf_quantize.judged import ratio
from qviz.ui.tf_quantize.near_zero import near
from qviz.ui.tf_quantize.refusals import remedy
from qviz.ui.tf_quantize.shared import per_row
from qviz.ui.tf_quantize.subject import SAMPLE, _sample, numbers, one_slice, typed, whole


def choice(tensor="teaching::bimodal", granularity=None):
    target = Target.of(granularity=granularity or Granularity())
    return Choice(_samples()[tensor], target, None, "weight")


def test_numbers():
    assert numbers("1, -2;3e-1\n\u22124").tolist() == np.float32([1, -2, 0.3, -4]).tolist()
    for text in ("", " , ", "nan", "inf", "1e39", "one", "1 " * 5000):
        with pytest.raises(QvizError):
            numbers(text)


def test_codes():
    found = codes_of("-128, 127 \u22121", TYPES["qint8"])
    assert found.tolist() == [-128, 127, -1] and found.dtype == np.int8
    for text in ("", "128", "1.5", "x", "0 " * 65):
        with pytest.raises(QvizError):
            codes_of(text, TYPES["qint8"])


def test_the_whole_tensor_is_one_row():
    one = whole(choice())
    x = _samples()["teaching::bimodal"].array()
    assert one.finite == x.size and one.extremes == (x.min(), x.max())
    assert one.choice.channel_axis is None
    assert one.sample().tolist() == x.ravel().tolist()


def test_a_slice_keeps_the_granularity_of_its_axis():
    one = one_slice(choice(), 1, 3)
    x = _samples()["teaching::bimodal"].array()[:, 3]
    assert one.extremes == (x.min(), x.max()) and one.finite == 64
    assert one.choice.target.granularity == Granularity("per_channel", 0)
    assert one.words.endswith("slice 3 of 64 along axis 1")


def test_a_sample_of_a_large_tensor_is_evenly_spaced():
    one = whole(choice("synthetic::student_t"))
    x = _samples()["synthetic::student_t"].array().ravel()
    assert x.size == 1_000_000 and SAMPLE == 65_536
    assert one.sample().tolist() == x[::16].tolist()


def test_a_sample_finds_what_is_finite_between_the_places():
    x = np.full(8, np.nan, np.float32)
    x[[1, 3, 5]] = 1, 2, 3
    assert _sample(x, 4).tolist() == [1, 2, 3]
    assert _sample(x, 2).tolist() == [1, 2]
    assert _sample(x[::2], 2).size == 0


def test_an_error_is_counted_in_the_steps_of_its_own_mode():
    # 0.5 of a width of 3 is 42.5 codes of 255: rounded up, 0 comes back half a step too high
    setting = Setting(QuantSpec(8))
    saw = near(answer("tf.min_combined", -0.5, 2.5, setting))
    assert saw.zero == pytest.approx(0.5, abs=1e-4)
    assert verdict(saw.zero) == "0 moves by 0.5 step"
    for name in ("tf.min_combined", "tf.min_first", "tf.fake_quant"):
        teeth = near(answer(name, -0.5, 2.5, setting))
        assert np.abs(teeth.error).max() == pytest.approx(0.5, abs=2e-3)
    assert near(answer("tf.scaled", -2.0, -1.0, setting)) is None


@pytest.mark.parametrize(
    ("name", "setting", "says"),
    [
        ("tf.min_first", Setting(QuantSpec(8, symmetric=True)), "Symmetric off"),
        ("tf.scaled", Setting(QuantSpec(4)), "one of the types"),
        ("tf.scaled", Setting(QuantSpec(8, reduce_range=True)), "Reduced range off"),
        ("tf.scaled", Setting(QuantSpec(8, quant_min=3, quant_max=9)), "Custom codes off"),
        ("tf.min_first", Setting(QuantSpec(8, narrow_range=True)), "narrow_range off"),
        ("tf.min_first", Setting(round_mode="HALF_TO_EVEN"), "HALF_AWAY_FROM_ZERO"),
        ("tf.fake_quant", Setting(QuantSpec(8, signed=True)), "unsigned codes"),
        ("tf.fake_quant", Setting(wide="qint32"), "8 or 16 bits"),
        ("tf.min_first", Setting(granularity=Granularity("per_channel")), "whole tensor"),
    ],
)
def test_what_to_turn_so_that_a_mode_serves(name, setting, says):
    assert says in remedy(name, setting)


def test_no_switch_where_none_is_needed_or_one_is_not_enough():
    assert remedy("tf.scaled", Setting()) is None
    both = Setting(QuantSpec(8, symmetric=True), Granularity("per_channel"))
    assert remedy("tf.min_first", both) is None


def test_typed_values_share_the_granularity():
    assert typed(choice(), "1 2").choice.item.info.shape == (2,)
    sliced = typed(choice(granularity=Granularity("per_channel", 1)), "1 2")
    assert sliced.choice.item.info.shape == (1, 2) and sliced.extremes == (1, 2)
    other = typed(choice(), "1 3")
    assert other.choice.key != typed(choice(), "1 2").choice.key


def test_signal_over_error():
    value, lossless = ratio(np.float32([3, 4]), np.float32([0, 0.5]))
    assert value == pytest.approx(20) and not lossless
    assert ratio(np.float32([1]), np.float32([0])) == (None, True)
    assert ratio(np.float32([0]), np.float32([1])) == (None, False)


def test_small_figures_fill_their_rows():
    assert [per_row(n) for n in (1, 3, 4, 5, 6, 7, 8, 9)] == [3, 3, 4, 3, 3, 4, 4, 3]
