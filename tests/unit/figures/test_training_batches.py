"""Bands batch by batch, and the sentences beside them."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from qviz.figures import training_batches_words as say
from qviz.figures.theme import DARK, LIGHT
from qviz.figures.training_batches import by_batch, scale_text, shared_view
from qviz.pipeline.training_batches import extremes, ride
from qviz.quantizers.stateful import STATEFUL
from qviz.spec import QuantSpec
from tests.unit.figures.small import drawable, texts

TOPS = (100.0, 1.0, 1.0, 1.0)
STATES = extremes([np.linspace(-top, top, 64, dtype=np.float32) for top in TOPS])
ENDS = np.array([(-top, top) for top in TOPS])


def ridden(name, states=STATES, trained=4, spec=QuantSpec(8)):  # noqa: B008  a frozen record
    return ride(STATEFUL.make(name), spec, states, trained)


def size(figure):
    """Bytes of the figure without the template that Plotly adds."""
    whole = json.loads(go.Figure(figure).to_json())
    whole["layout"].pop("template", None)
    return len(json.dumps(whole))


def drawn(name, palette=LIGHT, trained=4):
    one = ridden(name, trained=trained)
    return by_batch(one, name, ENDS, palette, shared_view([one], ENDS), trained)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
@pytest.mark.parametrize("name", sorted(STATEFUL.presets))
def test_it_can_be_drawn(name, palette):
    figure = drawn(name, palette)
    drawable(figure)
    assert size(figure) < 4_000


def test_band_grid_and_ticks():
    lower, upper, grid_low, grid_high, ticks = drawn("torch.moving_average")["data"]
    expected = [100 * 0.99**i + (1 - 0.99**i) for i in range(4)]
    assert upper["y"].tolist() == pytest.approx(expected, rel=1e-5)
    assert lower["y"].tolist() == pytest.approx([-v for v in expected], rel=1e-5)
    assert upper["fill"] == "tonexty"
    assert len(grid_low["y"]) == len(grid_high["y"]) == 4
    assert sorted(ticks["y"].tolist()) == sorted(ENDS.ravel().tolist())


def test_no_range_yet_is_said():
    assert "no range yet" in texts(drawn("torch.moving_average", trained=0))
    assert "[−1, 1]" in texts(drawn("mindspore.default@doc"))


def test_a_line_parts_training_from_evaluation():
    assert drawn("torch.minmax", trained=2)["layout"]["shapes"][0]["x0"] == 2.5
    assert drawn("torch.minmax", trained=4)["layout"]["shapes"] == []


def test_batches_handed_through_leave_a_gap():
    figure = drawn("mindspore.default@doc:quant_delay=1")
    assert figure["data"][2]["y"][0] is None
    assert figure["data"][2]["y"][1] is not None


def test_a_thousand_batches_are_thinned():
    states = extremes([np.array([-1, i + 1], np.float32) for i in range(1000)])
    one = ridden("torch.minmax", states, 1000)
    ends = np.array([(-1, i + 1) for i in range(1000)], float)
    figure = by_batch(one, "x", ends, LIGHT, shared_view([one], ends), 1000)
    assert all(len(trace["x"]) <= 512 for trace in figure["data"])
    assert size(figure) < 24_000


def test_the_view_holds_the_batches_and_not_every_grid():
    far = ridden("torch.moving_average", trained=0)  # scale 1: a grid from 0 to 255
    low, high = shared_view([far], np.array([(-1.0, 1.0)]))
    assert low < -1
    assert high < 5


def test_headings():
    rides = [(n, ridden(n)) for n in ("torch.minmax", "mindspore.default@doc")]
    assert say.heading(rides, 4, 4) == "After 4 batches 2 objects hold 2 ranges"
    blind = [(n, ridden(n, trained=0)) for n in ("torch.minmax", "mindspore.default@doc")]
    assert say.heading(blind, 0, 4) == (
        "In evaluation none of 2 objects looks at a batch: ranges stay"
    )
    assert say.heading([], 4, 4) == "No object serves these codes"


def test_two_answers_are_told():
    spec = QuantSpec(8, signed=True, symmetric=True)
    states = extremes([np.array([1.0, 2.0], np.float32)])
    one = ridden("torch.fused", states, 1, spec)
    assert say.two_answers(one)
    assert not say.two_answers(ridden("torch.fused"))
    said = say.sentence("F", STATEFUL.make("torch.fused"), one, 1, np.array([(1.0, 2.0)]))
    assert "it quantized with scale 0.00784" in said
    assert "and exports scale 0.01569, zero point 0." in said
    assert say.heading([("F", one)], 1, 1).endswith("F exports another scale than it trains with")


@pytest.mark.parametrize(
    ("name", "trained", "words"),
    [
        ("mindspore.default@doc", 4, "holds [−1, 1], the last batch’s own: those before are"),
        ("mindspore.default@doc", 0, "the range it was made with, [−6, 6], whatever comes."),
        ("torch.minmax", 4, "holds [−100, 100], the widest of all batches."),
        ("torch.minmax", 0, "no range yet, and it quantizes with scale 1, zero point 0."),
        ("torch.moving_average", 4, "started from still weighs 97 %, and less than 1 % after 460"),
        ("MS EMA doc", 4, "started from still weighs 99.6 %, and less than 1 % after 4,603"),
    ],
)
def test_sentences(name, trained, words):
    said = say.sentence("X", STATEFUL.make(name), ridden(name, trained=trained), trained, ENDS)
    assert said.startswith("X: ")
    assert words in said


def test_delay_and_nan_are_said():
    member = STATEFUL.make("mindspore.default@doc:quant_delay=2")
    one = ride(member, QuantSpec(8), STATES, 4)
    assert "The first 2 batches pass unquantized" in say.sentence("X", member, one, 4, ENDS)
    zeros = extremes([np.zeros(4, np.float32)])
    nothing = ridden("mindspore.default@doc", zeros, 1)
    said = say.sentence("X", STATEFUL.make("mindspore.default@doc"), nothing, 1, np.zeros((1, 2)))
    assert "makes NaN of every value" in said


def test_titles_of_those_that_do_the_same():
    assert say.together(["MS default ascend", "MS default doc"]) == "MS default ascend, doc"
    assert say.together(["torch Fused", "MS EMA doc"]) == "torch Fused, MS EMA doc"
    assert say.together(["Alone"]) == "Alone"


def test_qparams_as_text():
    assert scale_text(0.0470588, 17) == "0.04706, zero point 17"
    assert scale_text(None, None) == "–"


GROWING = extremes([np.array([-top, top], np.float32) for top in (1, 2, 3, 9)])
GROWN = np.array([(-top, top) for top in (1.0, 2.0, 3.0, 9.0)])


def grown(name, trained):
    member = STATEFUL.make(name)
    return say.sentence("X", member, ridden(name, GROWING, trained), trained, GROWN)


def test_the_rule_is_named_and_not_a_coincidence():
    assert "holds [−9, 9], the widest of all batches." in grown("torch.minmax", 4)
    said = grown("mindspore.default@doc", 4)  # the last batch happens to be the widest
    assert "holds [−9, 9], the last batch’s own: those before are forgotten." in said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("torch.minmax", "holds [−3, 3], the widest of the 3 batches trained on; "),
        ("mindspore.default@doc", "holds [−3, 3], that of the last of the 3 batches trained on"),
    ],
)
def test_evaluation_after_training_on_some(name, words):
    said = grown(name, 3)
    assert words in said
    assert "; the other 1 passed through and left it unchanged." in said
    assert "all batches" not in said and "last batch’s" not in said


def test_the_heading_names_evaluation_after_training():
    rides = [(n, ridden(n, GROWING, 3)) for n in ("torch.minmax", "mindspore.default@doc")]
    assert say.heading(rides, 3, 4) == (
        "In evaluation after training on 3 of 4 batches, 2 objects hold 1 range"
    )


def test_only_a_fresh_mindspore_cell_is_said_to_be_in_evaluation():
    words = "A fresh one is in evaluation until it is set to training."
    assert words in grown("mindspore.default@doc", 0) and words in grown("MS EMA gpu", 4)
    assert words not in grown("torch.minmax", 0)


def test_what_is_not_in_the_picture_has_no_name():
    made = ridden("torch.moving_average", trained=0)  # it holds no range
    view = shared_view([made], ENDS)
    names = texts(by_batch(made, "x", ENDS, LIGHT, view, 0))
    assert "goes through" in names and "held" not in names
