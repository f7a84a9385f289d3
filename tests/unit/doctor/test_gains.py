import numpy as np
import pytest

from qviz.doctor import Case, examine
from qviz.doctor.axes import custom_axis, most_apart, spread_along, thinned
from qviz.doctor.base import Fix
from qviz.doctor.channels import SAMPLE
from qviz.doctor.gains import gained, measured, remedies, yardstick
from qviz.doctor.remedies import MOST, ranked, sqnr
from qviz.doctor.settings import changed, how, present
from qviz.models.alone import Outcome
from qviz.sources.synthetic import Samples
from qviz.spec import QuantSpec
from qviz.stats.stream import Stream
from qviz.transforms.base import Operand
from tests.unit.doctor.generators import INT8, normal

LOUD = Samples()["outlier_channel"]
WEIGHT = Operand(Samples()["loud_channel_weight"], 0)


def case(**known):
    return Case.of(LOUD, INT8, role="activation", **known)


def test_where_gains_count():
    assert yardstick(case(operand=WEIGHT)) == "output"
    assert yardstick(case()) == "quiet channels"
    assert yardstick(Case.of(normal(64, 64), INT8)) == "tensor"
    assert yardstick(case(operand=Operand(np.ones((3, 5)), 1))) == "quiet channels"


def test_at_the_output_the_numbers_of_the_lesson():
    made = case(operand=WEIGHT)
    assert measured(made, present(made), "output") == pytest.approx(32.5, abs=0.05)
    token, moved = changed(made, granularity="per_token"), changed(made, transform="moved_factor")
    assert measured(made, token, "output") == pytest.approx(40.7, abs=0.05)
    assert measured(made, moved, "output") == pytest.approx(40.2, abs=0.05)
    cut = changed(made, observer="percentile:keep=99")
    assert measured(made, cut, "output") == pytest.approx(3.4, abs=0.05)
    own = changed(made, granularity="per_channel:1")
    assert measured(made, own, "output") is None  # a sum cannot be undone channel by channel


def test_at_the_quiet_channels_the_numbers_of_the_lesson():
    made = case()
    assert measured(made, present(made), "quiet channels") == pytest.approx(8.2, abs=0.05)
    token = changed(made, granularity="per_token")
    assert measured(made, token, "quiet channels") == pytest.approx(17.6, abs=0.05)
    assert measured(made, token, "tensor") == pytest.approx(35.2, abs=0.05)
    own = changed(made, granularity="per_channel:1")
    assert gained(made, own, "quiet channels") == pytest.approx(43.3 - 8.2, abs=0.2)


def test_clipping_the_loud_channel_is_no_gain():
    made = case()
    found = remedies(made, [("cut", changed(made, observer="percentile:keep=99"))])
    assert found.fixes == () and found.tried[0].measured_at == "tensor"
    assert found.tried[0].gain_db == pytest.approx(3.6 - 25.8, abs=0.1)


def test_a_transform_that_lacks_its_operand_is_not_offered():
    made = case()
    assert measured(made, changed(made, transform="moved_factor"), "quiet channels") is None


def test_a_weight_at_the_output():
    w = Samples()["loud_channel_weight"].T.copy()  # outputs x inputs
    made = Case.of(w, INT8, role="weight", operand=Operand(LOUD, 1))
    assert yardstick(made) == "output"
    assert gained(made, changed(made, granularity="per_channel:0"), "output") > 0


def test_fixes_are_ranked_more_bits_last():
    given = [Fix("a", 1.0), Fix("b", -1.0), Fix("c", 40.0, {"bits": 16}), Fix("d", 3.0)]
    made = ranked(given)
    assert [fix.action for fix in made.fixes] == ["d", "a", "c"]
    assert [fix.action for fix in made.tried] == ["b"]
    assert (made.gain, made.severity) == (3.0, "medium")


def test_a_perfect_return_is_a_number():
    assert sqnr(1.0, 0.0) == MOST and sqnr(100.0, 1.0) == pytest.approx(20)


def test_settings_are_spelled():
    made = Case.of(normal(8, 8))
    then = changed(made, observer="percentile:keep=99.99", mode="tf.fake_quant", bits=4)
    assert how(made, then) == {
        "observer": "percentile:keep=99.99",
        "mode": "tf.fake_quant",
        "bits": 4,
    }
    moved = changed(made, transform="subtracted_mean", granularity="per_channel:1")
    assert how(made, moved) == {"granularity": "per_channel:1", "transform": "subtracted_mean"}
    assert how(made, present(made)) == {}


@pytest.mark.parametrize("name", ["OUTLIER-CHANNEL", "MIXED-RANGES"])
def test_activations_get_no_steps_per_channel(name):
    w = normal(128, 32) * np.logspace(-3, 0, 32, dtype=np.float32)
    x = LOUD if name == "OUTLIER-CHANNEL" else w
    found = next(f for f in examine(Case.of(x, INT8, role="activation")) if f.rule == name)
    spelled = [fix.how.get("granularity", "") for fix in (*found.fixes, *found.tried)]
    assert "per_token" in spelled and not any(s.startswith("per_channel") for s in spelled)


def test_channels_lie_where_custom_has_them_or_where_they_differ():
    assert (custom_axis(2, "weight"), custom_axis(4, "activation")) == (0, 1)
    assert custom_axis(3, "activation") == 2
    x = normal(64, 48, 4)
    x[:, 5] *= 30
    assert most_apart(Stream.of(x)) == 1
    assert np.argmax(spread_along(Stream.of(x))) == 1
    assert Case.of(x).channel_axis == 1 and Case.of(normal(9)).channel_axis is None


def test_a_sample_keeps_all_channels_and_spans_the_rest():
    x = np.broadcast_to(np.arange(4000.0)[:, None], (4000, 300))
    thin = thinned(x, 1, SAMPLE)
    assert thin.shape[1] == 300 and thin.size <= SAMPLE < 2.2 * thin.size
    assert thin[-1, 0] >= 3990
    there = Case.of(x, role="activation").channels
    assert there.sampled and there.matrix.shape == thin.shape
    assert there.amax.max() == 3999


def test_a_model_that_can_be_run_decides():
    x = np.concatenate([batch.reshape(-1) for batch in case().values.batches])

    def runs(content):
        noise = float(np.mean((content - x) ** 2))
        return Outcome(10.0 if noise > 0.01 else 30.0)

    made = case(runs=runs)
    assert yardstick(made) == "output"
    assert gained(made, changed(made, bits=16), "output") == 20


def test_what_cannot_be_deployed_here_still_says_how_severe_it_is():
    """At 4 bits 63 channels become 0; of what can be set without the weight little helps."""
    four = QuantSpec(4, signed=True, symmetric=True)
    (found,) = (f for f in examine(Case.of(LOUD, four, role="activation")) if f.analysis)
    assert found.rule == "OUTLIER-CHANNEL" and found.severity == "high"
    assert found.fixes[0].gain_db < 3 and found.analysis[0].gain_db > 12
    assert not any("per_channel" in str(fix.how) for fix in found.fixes)


def test_what_gains_next_to_nothing_is_no_fix_beside_one_that_does():
    made = ranked([Fix("little", 0.06), Fix("bits", 48.0, {"bits": 16}), Fix("enough", 0.5)])
    assert [fix.action for fix in made.fixes] == ["enough", "bits"]
    assert [fix.action for fix in made.tried] == ["little"] and made.gain == 0.5
    alone = ranked([Fix("little", 0.06), Fix("nothing", 0.04)])
    assert [fix.action for fix in alone.fixes] == ["little"]
    kept = alone.beside((Fix("bits", 48.0, {"bits": 16}),))
    assert kept.fixes == () and [fix.action for fix in kept.tried] == ["little", "nothing"]
    assert alone.beside((Fix("less", 0.4),)) is alone
