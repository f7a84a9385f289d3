"""Learned scales against torch's autograd, known optima, and arithmetic by hand."""

from statistics import NormalDist

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.pipeline.fitting import MOST_STEPS, Path, arrival, codes, curve, descent, fit
from qviz.quantizers.stateful import LEARNERS, Learner

SPEC = codes(4, signed=True)  # codes -7 to 7
FIVE = np.array([-0.6, 0.2, 0.33, 0.9, 1.4], np.float32)


def laplace(n):
    """Even quantiles of a Laplace distribution of scale 1."""
    u = (np.arange(n) + 0.5) / n
    return np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u))).astype(np.float32)


def normal(n):
    return np.array([NormalDist().inv_cdf((i + 0.5) / n) for i in range(n)], np.float32)


def data(x):
    return x, np.ones(x.size)


def test_codes_are_symmetric_or_start_at_0():
    assert codes(4, signed=True).ends == (-7, 7)
    assert codes(4, signed=False).ends == (0, 15)
    with pytest.raises(QvizError, match="one bit"):
        codes(1, signed=True)


def test_the_best_clip_of_laplace():
    found = curve(data(laplace(20001)), SPEC)
    assert found.best == pytest.approx(4.82, abs=0.06)
    assert found.best_sqnr == pytest.approx(15.66, abs=0.005)
    at = np.argmin(np.abs(found.clips - 9.90))
    assert found.sqnr[at] == pytest.approx(11.03, abs=0.3)


def test_weights_stand_for_copies():
    x = normal(500)
    once = curve((np.repeat(x, 2), np.ones(1000)), SPEC)
    weighed = curve((x, np.full(500, 2.0)), SPEC)
    assert weighed.sqnr == pytest.approx(once.sqnr)


def test_values_that_are_all_0_have_no_curve():
    with pytest.raises(QvizError, match="All values are 0"):
        curve(data(np.zeros(9, np.float32)), SPEC)


@pytest.mark.parametrize("bits", [3, 4, 8])
def test_a_scale_moves_the_clip_quant_max_squared_times_as_far(bits):
    spec, top, clip = codes(bits, signed=True), 2 ** (bits - 1) - 1, 1.0
    x = FIVE  # none within half a step beyond the clip, where only MindSpore counts as clipped
    moved = {}
    for name in ("torch.learnable", "mindspore.learned_scale@gpu"):
        learner = LEARNERS.make(name)
        path = fit(learner, data(x), spec, clip / learner.largest(spec), 1e-3, 1)
        moved[name] = float(path.clips[1] - path.clips[0])
    ratio = moved["torch.learnable"] / moved["mindspore.learned_scale@gpu"]
    assert ratio == pytest.approx(top**2, rel=1e-3)


def test_steps_are_those_of_torch_autograd():
    torch = pytest.importorskip("torch")
    x, rate = torch.from_numpy(normal(999)), 0.05
    scale = torch.full((1,), 0.6, requires_grad=True)
    zero = torch.zeros(1, requires_grad=True)
    ways = []
    for _ in range(6):
        ways.append(scale.item())
        back = torch._fake_quantize_learnable_per_tensor_affine(x, scale, zero, -7, 7, 1.0)
        loss = ((back - x) ** 2).mean()
        (step,) = torch.autograd.grad(loss, scale)
        with torch.no_grad():
            scale -= rate * step
    path = fit(LEARNERS.make("torch.learnable"), data(normal(999)), SPEC, 0.6, rate, 5)
    assert path.values == pytest.approx(ways, rel=1e-5)


def test_loss_and_gradient_by_hand():
    learner = LEARNERS.make("mindspore.learned_scale@gpu")
    x = np.array([[0.33, 1.4]], np.float32)
    loss, gradient = descent(learner, 1.0, (x, np.full((1, 2), 0.5)), SPEC)
    errors = 2 / 7 - 0.33, 1.0 - 1.4
    assert loss == pytest.approx(np.mean(np.square(errors)), rel=1e-5)
    terms = (2 - 2.31) / 7, 1.0
    by_hand = sum(2 * e * t / 2 for e, t in zip(errors, terms, strict=True))
    assert gradient == pytest.approx(by_hand, rel=1e-4)


@pytest.mark.parametrize("name", sorted(LEARNERS.presets))
def test_every_rule_is_repeatable_and_starts_where_it_is_told(name):
    learner = LEARNERS.make(name)
    one, two = (fit(learner, data(normal(99)), SPEC, 0.5, 0.01, 7) for _ in range(2))
    assert one.values.tolist() == two.values.tolist()
    assert one.values[0] == 0.5
    assert one.clips[0] == 0.5 * learner.largest(SPEC)
    assert one.values.size == one.losses.size == 8
    assert np.isfinite(one.losses).all()


@pytest.mark.parametrize("side", [0.2, 5.0])
@pytest.mark.parametrize("name", ["mindspore.learned_scale@gpu", "torch.learnable", "lsq"])
def test_from_both_sides_the_same_place_is_reached(name, side):
    x, learner = laplace(4001), LEARNERS.make(name)
    found = curve(data(x), SPEC)
    start = side * found.best / learner.largest(SPEC)
    rate = 3.0 if learner.largest(SPEC) == 1 else 0.3
    path = fit(learner, data(x), SPEC, start, rate, MOST_STEPS)
    assert path.clips[-1] == pytest.approx(found.best, rel=0.06)
    at = arrival(path, found)
    assert at is not None
    assert found.level(path.losses)[at:].min() >= found.best_sqnr - 0.1
    assert found.level(path.losses)[at - 1] < found.best_sqnr - 0.1


def test_a_path_below_0_ends_there():
    path = fit(LEARNERS.make("lsq:by=none"), data(normal(99)), SPEC, 3.0, 50.0, 50)
    assert path.reason == "went negative"
    assert (path.clips > 0).all()
    assert path.clips.size < 51
    found = curve(data(normal(99)), SPEC)
    assert arrival(path, found) is None


def test_torch_keeps_its_scale_above_0():
    path = fit(LEARNERS.make("torch.learnable"), data(normal(99)), SPEC, 3.0, 50.0, 50)
    assert path.reason == "shrank to nothing"


class Outward(Learner):
    """Grows tenfold with each step."""

    parameter = "scale"

    def quantizer(self, value, spec):
        return LEARNERS.make("lsq").quantizer(value, spec)

    def largest(self, spec):
        return spec.ends[1]

    def raised(self, value):
        self.now = getattr(self, "now", 1.0) * 10
        return self.now


def test_a_path_to_infinity_has_diverged():
    path = fit(Outward(), data(normal(99)), SPEC, 1.0, 1e-9, 50)
    assert path.reason == "diverged"
    assert path.clips[-1] <= 1e4 * 7


def test_arrival_is_the_step_from_which_it_stays():
    found = curve(data(normal(999)), SPEC)
    near, far = found.energy / 10 ** (found.best_sqnr / 10), found.energy
    clips = np.full(4, found.best)
    assert arrival(Path(clips, clips, np.array([far, near, far, near])), found) == 3
    assert arrival(Path(clips, clips, np.array([near] * 4)), found) == 0
    assert arrival(Path(clips, clips, np.array([near, near, near, far])), found) is None


@pytest.mark.parametrize(
    ("x", "start", "rate", "steps"),
    [
        (normal(9), 1.0, 0.1, 201),
        (normal(9), 1.0, 0.1, -1),
        (normal(9), 0.0, 0.1, 5),
        (normal(9), np.inf, 0.1, 5),
        (normal(9), 1.0, 0.0, 5),
        (np.empty(0, np.float32), 1.0, 0.1, 5),
        (np.ones(65_537, np.float32), 1.0, 0.1, 5),
    ],
)
def test_what_cannot_be_fitted_is_refused(x, start, rate, steps):
    with pytest.raises(QvizError):
        fit(LEARNERS.make("lsq"), data(x), SPEC, start, rate, steps)
