"""What the page looks at: typed numbers, codes, slices, samples."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.types import TYPES
from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.spec import Granularity
from qviz.ui.choice import Choice
from qviz.ui.library import _samples
from qviz.ui.tf_quantize.decode import codes_of
from qviz.ui.tf_quantize.judged import ratio
from qviz.ui.tf_quantize.shared import per_row
from qviz.ui.tf_quantize.subject import SAMPLE, numbers, one_slice, typed, whole


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
    assert sorted(one.sample().tolist()) == sorted([*x.ravel().tolist(), x.min(), x.max()])


def test_a_slice_keeps_the_granularity_of_its_axis():
    one = one_slice(choice(), 1, 3)
    x = _samples()["teaching::bimodal"].array()[:, 3]
    assert one.extremes == (x.min(), x.max()) and one.finite == 64
    assert one.choice.target.granularity == Granularity("per_channel", 0)
    assert one.words.endswith("slice 3 of 64 along axis 1")


def test_a_sample_of_a_large_tensor_holds_both_ends():
    one = whole(choice("synthetic::student_t"))
    found = one.sample()
    assert SAMPLE / 2 < found.size <= SAMPLE + 2
    assert (found.min(), found.max()) == one.extremes


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
