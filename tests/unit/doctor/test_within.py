"""Gains at a model's output: which repair counts, and what happens where the model fails."""

import numpy as np
import pytest

from qviz.doctor import Case, examined, within
from qviz.doctor.gains import gained, outcome_of, yardstick
from qviz.doctor.returned import returned
from qviz.doctor.settings import changed, present
from qviz.doctor.within import Within
from qviz.models.alone import Outcome
from qviz.models.feeds import Feeds
from qviz.models.jobs import capture_model
from qviz.models.limits import Limits
from qviz.spec import QuantSpec
from qviz.transforms.base import Operand
from tests.unit.models.graphs import IMAGES, TWIN
from tests.unit.samples import load, symmetric

INT4 = QuantSpec(4, signed=True, symmetric=True)


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    return capture_model(TWIN, Feeds(IMAGES), tmp_path_factory.mktemp("twin"))


def place(source, name, folder, limits=None):
    return Within(TWIN, source, name, Feeds(IMAGES), folder, limits or Limits())


def case(source, name, **known):
    info = source.info(name)
    return Case.of(
        info.batched(source[name]), INT4, observer="absmax", role=info.role, name=name, **known
    )


def test_the_output_tells_which_repair_serves_the_twin(twin, tmp_path):
    found, why = place(twin, "relu", tmp_path).look(case(twin, "relu"), examined)
    first = found.findings[0]
    assert why == "" and (first.rule, first.severity) == ("OUTLIER-CHANNEL", "high")
    by = {fix.action: fix for fix in (*first.fixes, *first.tried, *first.analysis)}
    assert {fix.measured_at for fix in by.values()} == {"output"}
    moved, wide = by["move a factor of each channel into the weight"], by["use 8 bits"]
    assert first.fixes[0] is moved and moved.gain_db > 15 and moved.accuracy > 0.95
    assert 5 < wide.gain_db < moved.gain_db and wide.accuracy < moved.accuracy
    (own,) = first.analysis  # it gains most and cannot be deployed
    assert own.how == {"granularity": "per_channel:1"} and own.gain_db > moved.gain_db
    cut = by["keep 99.9 % of the values"]
    assert cut in first.tried and abs(cut.gain_db) < 0.1 and cut.accuracy < 0.2


def test_a_weight_whose_own_number_looks_fine(twin, tmp_path):
    found, _ = place(twin, "depthwise.weight", tmp_path).look(
        case(twin, "depthwise.weight"), examined
    )
    alone = examined(case(twin, "depthwise.weight")).findings[0]
    first = found.findings[0]
    assert first.rule == alone.rule == "MIXED-RANGES"
    assert first.fixes[0].how == {"granularity": "per_channel:0"}
    assert first.fixes[0].measured_at == "output" and first.fixes[0].accuracy > 0.98
    assert first.analysis == ()  # a weight's channels are deployed


def test_a_model_that_takes_too_long_leaves_the_case_as_it_is(twin, tmp_path):
    short = place(twin, "relu", tmp_path, Limits(seconds=0.05))
    found, why = short.look(case(twin, "relu"), examined)
    assert why.startswith("Gains are not those at the model's output. ") and "0.05 seconds" in why
    assert found.findings[0].fixes[0].measured_at == "quiet channels"


def test_a_model_that_fails_on_the_way_does_too(twin, tmp_path):
    placed = place(twin, "relu", tmp_path)

    def look(made):
        if made.runs is not None:
            made.runs(np.zeros(3, np.float32))
        return examined(made)

    found, why = placed.look(case(twin, "relu"), look)
    assert "65,536 elements" in why and found.findings[0].rule == "OUTLIER-CHANNEL"


class Answers:
    """In place of a model in a child: it answers each question with the same outcome."""

    failed, said, unjudged = None, Outcome(), ""

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def outcome(self, _content):
        return self.said


@pytest.fixture
def answers(monkeypatch):
    made = type("Made", (Answers,), {})
    monkeypatch.setattr(within, "Asking", made)
    return made


@pytest.mark.parametrize("lossless", [False, True])
def test_an_output_without_a_number_leaves_the_case_as_it_is(twin, tmp_path, answers, lossless):
    answers.said = Outcome(lossless=lossless, note="No element of the output is finite.")
    found, why = place(twin, "relu", tmp_path).look(case(twin, "relu"), examined)
    assert why == f"{within.ASIDE} No element of the output is finite."
    first = found.findings[0]
    assert first.severity == "high" and first.fixes[0].measured_at == "quiet channels"


def test_labels_that_are_of_no_use_are_told_beside_the_gains(twin, tmp_path, answers):
    answers.said, answers.unjudged = Outcome(12.0), "There is no accuracy."
    made, why = place(twin, "relu", tmp_path).look(case(twin, "relu"), yardstick)
    assert (made, why) == ("output", "There is no accuracy.")


def test_a_setting_that_the_model_refuses_is_no_gain():
    made = Case.of(np.ones((4, 4), np.float32), runs=lambda content: Outcome())
    assert outcome_of(made, present(made)) == Outcome()
    assert gained(made, changed(made, bits=4), "output") is None
    assert outcome_of(Case.of(np.ones(4)), present(made)) is None


def test_lossless_runs_count_as_200_decibels():
    said = {4: Outcome(30.0, 0.5), 8: Outcome(None, 1.0, lossless=True)}

    def runs(content):
        return said[4 if len(np.unique(content)) <= 16 else 8]

    x = np.linspace(-1, 1, 4096, dtype=np.float32).reshape(64, 64)
    made = Case.of(x, INT4, runs=runs)
    assert yardstick(made) == "output"
    assert gained(made, changed(made, bits=8), "output") == 170.0
    assert outcome_of(made, changed(made, bits=8)).accuracy == 1.0


def test_what_is_run_are_the_batches_one_after_the_other(twin):
    relu = twin["relu"].astype(np.float64)
    made = case(twin, "relu")
    assert len(made.values.batches) == 4
    np.testing.assert_allclose(
        returned(made, present(made)), symmetric(relu, 4).reshape(-1), rtol=1e-6
    )
    own = returned(made, changed(made, granularity="per_channel:1"))
    off = np.abs(own.reshape(relu.shape) - symmetric(relu, 4, 1))
    assert np.mean(off > 1e-5) < 1e-4


def test_a_factor_is_undone_after_quantizing(twin):
    w = load("digits_cnn_rescaled.onnx")["depthwise.weight"]
    made = case(twin, "relu", following=Operand(w, 0))
    found = returned(made, changed(made, transform="moved_factor"))
    x = twin["relu"].astype(np.float64)
    factor = np.sqrt(np.abs(x).max((0, 2, 3)) / np.abs(w.astype(np.float64)).max((1, 2, 3)))
    factor = factor[:, None, None]
    expected = symmetric(x / factor, 4) * factor
    off = np.abs(found.reshape(x.shape) - expected) / factor
    assert np.mean(off > 1e-5) < 1e-4 and found.dtype == np.float32


def test_masks_are_judged_at_the_output_where_there_is_one():
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    x[::2, ::7] = -1e4
    others = x > -100

    def runs(content):
        kept = np.maximum(content.reshape(x.shape), -8)  # the model looks no further down
        error = kept - np.maximum(x, -8)
        return Outcome(float(10 * np.log10(np.sum(x[others] ** 2) / np.sum(error[others] ** 2))))

    made = Case.of(x, QuantSpec(8), role="activation", runs=runs)
    (found,) = (f for f in examined(made).findings if f.rule == "NON-FINITE")
    (fix,) = found.fixes
    assert fix.measured_at == "output" and fix.gain_db > 30 and found.severity == "high"
