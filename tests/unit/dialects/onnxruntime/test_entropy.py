"""The entropy observer: its range, its trap, its picture."""

import numpy as np
import pytest

from qviz.dialects.onnxruntime import entropy
from qviz.dialects.onnxruntime.entropy import OrtEntropy
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.quantizers.base import Target
from qviz.spec import Granularity
from qviz.stats.base import Seen
from tests.unit.dialects.onnxruntime.peer import collected, state_of

OUTLIERS = np.append(np.random.default_rng(0).laplace(size=4000), [-40, 70]).astype(np.float32)


def seen_of(observer, *batches):
    (rule,) = observer.needs
    return Seen({rule: state_of(rule, batches)}, len(batches))


def range_of(observer, *batches):
    found = observer.range(seen_of(observer, *batches), Target.of())
    return found.lo[0], found.hi[0]


def test_the_default_is_minimum_to_maximum():
    assert OrtEntropy() == OrtEntropy(128, 128)
    assert range_of(OrtEntropy(), OUTLIERS) == (-40, 70)
    lo, hi = range_of(OrtEntropy(2048), OUTLIERS)
    assert -10 < lo < -3 and 3 < hi < 10


@pytest.mark.parametrize("sizes", [(512, 128), (512, 16), (300, 128)])
def test_the_range_is_onnxruntimes_over_batches(sizes):
    batches = [OUTLIERS[:1500], OUTLIERS[1500:3000] * 1.2, OUTLIERS[3000:3900]]
    batches = [x.astype(np.float32) for x in batches]
    options = dict(zip(("num_bins", "num_quantized_bins"), sizes, strict=True))
    _, theirs = collected(batches, "entropy", **options)
    assert range_of(OrtEntropy(*sizes), *batches) == (theirs[0], theirs[1])


def test_it_serves_a_tensor_with_bins_to_choose_from():
    assert OrtEntropy().accepts(Target.of()) is None
    assert "nothing is left to choose" in OrtEntropy(64, 128).accepts(Target.of())
    channels = Target.of(granularity=Granularity("per_channel", 0))
    assert "per tensor only" in OrtEntropy().accepts(channels)


def test_the_picture_shows_the_least():
    observer = OrtEntropy(1024, 64)
    seen = seen_of(observer, OUTLIERS)
    shown, chosen = observer.decision(seen, Target.of()), observer.range(seen, Target.of())
    curve = shown.curves["divergence"]
    assert len(shown.x) <= 400 and curve.shape == shown.x.shape
    assert shown.chosen == (chosen.hi[0],) and shown.x[curve.argmin()] == chosen.hi[0]
    assert shown.marks["largest magnitude"] == 70


def test_the_picture_of_a_single_candidate_says_so():
    shown = OrtEntropy().decision(seen_of(OrtEntropy(), OUTLIERS), Target.of())
    assert shown.x.tolist() == [0, 70] and "one candidate" in shown.words
    constant = np.full(5, 2, np.float32)
    assert OrtEntropy().decision(seen_of(OrtEntropy(), constant), Target.of()) is None


def test_grown_histograms_are_refused(monkeypatch):
    monkeypatch.setattr(entropy, "MOST_SEARCHED", 200)
    with pytest.raises(InvalidValue, match="grown to 256 bins"):
        range_of(OrtEntropy(128), np.float32([1, -1]), np.float32([1.99]))


def test_refused_batches_are_told():
    with pytest.raises(InvalidValue, match="not finite") as error:
        range_of(OrtEntropy(), np.float32([np.inf]))
    assert error.value.stands_for == "ValueError"
    with pytest.raises(InvalidValue, match="No histogram"):
        range_of(OrtEntropy())
