"""The ranges MindSpore's class holds, as observers."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline import gather
from qviz.quantizers.base import Target
from qviz.spec import Granularity
from qviz.stats.stream import Stream

NAMES = [name for name in OBSERVERS.presets if name.startswith("mindspore.")]
CHANNELS = Target.of(granularity=Granularity("per_channel", 0))


def seen_of(observer, *batches, target=None):
    target = target or Target.of()
    stream = Stream.of([np.float32(x) for x in batches], target.granularity)
    return gather(stream.tiles[0], observer.needs)


def ends_of(spelling, *batches, target=None):
    observer = OBSERVERS.make(spelling)
    target = target or Target.of()
    found = observer.range(seen_of(observer, *batches, target=target), target)
    return found.lo.tolist(), found.hi.tolist()


def test_all_are_listed():
    assert NAMES == [
        "mindspore.default",
        "mindspore.ema@doc",
        "mindspore.ema@gpu",
        "mindspore.initial",
    ]


def test_only_the_last_batch_counts():
    assert ends_of("mindspore.default", [-9, 9], [-1, 2]) == ([-1], [2])
    assert ends_of("mindspore.default", [3, 4]) == ([0], [4])
    assert ends_of("mindspore.default", [-3, -4]) == ([-4], [0])
    assert ends_of("mindspore.default", [[1, 2], [-3, -4]], target=CHANNELS) == ([0, -4], [2, 0])


def test_a_fresh_cell_does_not_look():
    assert ends_of("mindspore.initial", [-9, 9], [-1, 2]) == ([-6], [6])
    spelled = "mindspore.initial:min_init=1,max_init=2"
    assert ends_of(spelled, [[1], [2]], target=CHANNELS) == ([1, 1], [2, 2])


def test_weights_are_exchanged_on_cuda():
    batches = ([-1, 1], [-3, 5])
    # After the first batch: 0.25 * 1 + 0.75 * 6 = 4.75, on CUDA 0.75 * 1 + 0.25 * 6 = 2.25.
    doc = ends_of("mindspore.ema@doc:ema_decay=0.75", *batches)
    assert doc == ([-0.25 * 3 - 0.75 * 4.75], [0.25 * 5 + 0.75 * 4.75])
    gpu = ends_of("mindspore.ema@gpu:ema_decay=0.75", *batches)
    assert gpu == ([-0.75 * 3 - 0.25 * 2.25], [0.75 * 5 + 0.25 * 2.25])


def test_the_average_is_pulled_to_zero_after_averaging():
    spelled = "mindspore.ema@doc:ema_decay=0.5,min_init=-1,max_init=1"
    assert ends_of(spelled, [3, 5]) == ([0], [3])  # min: 0.5 * 3 - 0.5 * 1 = 1, then 0


def test_what_is_not_finite_is_kept_and_refused():
    for name in ("mindspore.default", "mindspore.ema@doc", "mindspore.ema@gpu"):
        for odd in (np.nan, np.inf):
            with pytest.raises(QvizError, match="NaN or infinite"):
                ends_of(name, [odd, 1])
    assert ends_of("mindspore.default", [np.nan, 1], [1, 2]) == ([0], [2])  # a batch ago


def test_the_decision_follows_the_batches():
    observer = OBSERVERS.make("mindspore.ema@gpu:ema_decay=0.5")
    seen = seen_of(observer, [-1, 1], [-3, 5], [0, 0])
    shown = observer.decision(seen, Target.of())
    assert shown.curves["batch max"].tolist() == [1, 5, 0]
    assert shown.curves["hi"].tolist() == [3.5, 4.25, 2.125]
    assert "0.5" in shown.words and "-6 and 6" in shown.words
    assert observer.decision(seen_of(observer, [1]), Target.of()) is None
    assert observer.decision(seen_of(observer, [1], [np.nan]), Target.of()) is None


def test_refusals():
    by_token = Target.of(granularity=Granularity("per_token"))
    assert "per layer" in OBSERVERS.make("mindspore.ema@doc").accepts(by_token)
    for name in ("mindspore.initial", "mindspore.ema@doc", "mindspore.ema@gpu"):
        crossed = OBSERVERS.make(f"{name}:min_init=2,max_init=1")
        assert "must be greater" in crossed.accepts(Target.of())
        assert OBSERVERS.make(name).accepts(CHANNELS) is None
