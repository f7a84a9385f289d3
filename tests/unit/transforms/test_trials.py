import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline.channel_map import channel_map
from qviz.stats.stream import Stream
from qviz.transforms import TRANSFORMS, Operand, Unchanged, trial
from qviz.transforms.base import MOST
from tests.unit.pipeline.loud import ABSMAX, NARROW, QUIET, db, rounded, tensor, weight


def tried(name=None, observer=ABSMAX, x=None, other=None, axis=0):
    rule = Unchanged() if name is None else TRANSFORMS.make(name)
    x = Operand(tensor() if x is None else x, 1)
    return trial(x, rule, observer, NARROW, Operand(weight() if other is None else other, axis))


def magnitudes(keep):
    """The range that keeps a share of the magnitudes."""
    bound = float(np.percentile(np.abs(tensor()), keep))
    return OBSERVERS.make(f"manual:lo={-bound!r},hi={bound!r}")


@pytest.mark.parametrize(
    ("keep", "output", "quiet"),
    [(100, 32.5, 8.2), (99.99, 30.6, 9.0), (99.9, 17.7, 12.1), (99, 3.4, 24.0)],
)
def test_the_product_ranks_ranges_against_the_quiet_channels(keep, output, quiet):
    done = tried(observer=magnitudes(keep))
    assert round(done.output, 1) == output
    silent = 10 * np.log10(done.xx[QUIET].sum() / done.ee[QUIET].sum())
    assert round(float(silent), 1) == quiet


def test_what_can_be_deployed():
    assert round(tried("per_token").output, 1) == 40.7
    assert round(tried("moved_factor").output, 1) == 40.2
    assert round(tried("per_token").sqnr, 1) == 35.2


def test_a_moved_factor_as_plain_arithmetic():
    x, w = tensor(), weight()
    f = np.abs(x).max(axis=0) ** 0.7 / np.abs(w).max(axis=1) ** 0.3
    y = rounded(x / f, np.abs(x / f).max()) * f
    v = w * f[:, None]
    v = rounded(v, np.abs(v).max(axis=0)) / f[:, None]
    done = tried("moved_factor:alpha=0.7")
    assert done.sqnr == pytest.approx(db(x, y)) and done.other == pytest.approx(db(w, v))
    assert done.output == pytest.approx(db(x @ w, y @ v))
    np.testing.assert_allclose(done.changed, x / f)
    picture = channel_map(Stream.of(done.changed), 1, ABSMAX, NARROW)
    np.testing.assert_allclose(picture.shared.sqnr, done.channels)


def test_alpha_zero_and_one():
    x, w = tensor(), weight()
    np.testing.assert_allclose(
        tried("moved_factor:alpha=0").change.factor, 1 / np.abs(w).max(axis=1)
    )
    np.testing.assert_allclose(tried("moved_factor:alpha=1").change.factor, np.abs(x).max(axis=0))


def test_the_weight_may_lie_either_way():
    same = tried("moved_factor", other=weight().T.copy(), axis=1)
    assert same.output == pytest.approx(tried("moved_factor").output, rel=1e-12)


def test_equalized_weights_meet_in_the_middle():
    r = np.random.default_rng(0)
    first = r.standard_normal((9, 6)) * np.logspace(-2, 0, 6)
    second = r.standard_normal((6, 5)) * np.logspace(0, -1, 6)[:, None]
    rule = TRANSFORMS.make("equalized")
    done = trial(Operand(first, 1), rule, ABSMAX, NARROW, Operand(second, 0))
    s = done.change.factor
    np.testing.assert_allclose(
        np.abs(first / s).max(axis=0), np.abs(second * s[:, None]).max(axis=1)
    )
    base = trial(Operand(first, 1), Unchanged(), ABSMAX, NARROW)
    assert done.channels.min() > base.channels.min() + 10
    y = rounded(second * s[:, None], np.abs(second * s[:, None]).max())
    assert done.other == pytest.approx(db(second, y / s[:, None])) and done.output is None


def test_a_mean_that_is_subtracted_needs_no_codes():
    x = 1000 + np.random.default_rng(1).standard_normal((50, 4)) + np.arange(4)
    base, done = (
        tried(x=x, other=np.ones((4, 3))),
        tried("subtracted_mean", x=x, other=np.ones((4, 3))),
    )
    y = rounded(x - x.mean(axis=0), np.abs(x - x.mean(axis=0)).max())
    assert done.sqnr == pytest.approx(db(x, y + x.mean(axis=0)))
    assert done.sqnr > base.sqnr + 40 and done.output > base.output + 40


def test_dead_channels_and_odd_values_do_no_harm():
    x = tensor()
    x[:, 3], x[5, 6] = 0, np.nan
    for name in (None, *TRANSFORMS):
        done = tried(name, x=x)
        assert np.isfinite(done.sqnr) and np.isfinite(done.changed).all()
        assert done.ee[3] == 0


def test_what_is_missing_or_does_not_fit_is_said():
    x = Operand(tensor(), 1)
    with pytest.raises(QvizError, match="weight that x is multiplied with"):
        trial(x, TRANSFORMS.make("moved_factor"), ABSMAX, NARROW)
    with pytest.raises(QvizError, match="next layer"):
        trial(x, TRANSFORMS.make("equalized"), ABSMAX, NARROW)
    with pytest.raises(QvizError, match="64 channels meet 32"):
        trial(x, TRANSFORMS.make("moved_factor"), ABSMAX, NARROW, Operand(weight(), 1))
    with pytest.raises(QvizError, match="too many to change"):
        Operand(np.broadcast_to(np.float32(1), (MOST, 2)), 1)


def test_every_transform_says_where_it_is_undone():
    for name in TRANSFORMS:
        rule = TRANSFORMS[name]()
        assert rule.undone and rule.roles and rule.other in ("", "operand", "next")
    assert "alpha=0.3" in TRANSFORMS.spell(TRANSFORMS.make("moved_factor:alpha=0.3"))
