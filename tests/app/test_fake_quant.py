"""The Fake quant page: every mode, object and rule, every control, every odd tensor."""

import numpy as np
import pytest

from qviz.quantizers.base import QUANTIZERS, Target
from qviz.quantizers.stateful import LEARNERS, STATEFUL
from qviz.ui.fake_quant import modes
from tests.app.reading import (
    caption,
    figures,
    heading,
    npy,
    numbers,
    payload,
    press,
    started,
    upload,
    well,
    words,
)

PAGE = "3_Fake_quant.py"
RELU = "teaching::relu"


@pytest.fixture
def page(open_app):
    def opening(tensor=RELU, view=None, **query):
        at = open_app(page=PAGE, tensor=tensor, **query)
        return at if view is None else press(at, "fake_quant_view", view)

    return opening


def said(at):
    """All sentences below the pictures."""
    return [words(m.value) for m in at.main.markdown if m.value.startswith("- ")]


def sums(at):
    return at.dataframe[0].value.set_index("Mode")


def asked(at, lo, hi):
    at.number_input(key="fake_quant_lo").set_value(lo)
    return well(at.number_input(key="fake_quant_hi").set_value(hi).run())


def small(at):
    return {k: v for k, v in figures(at).items() if k.startswith("fake-quant-")}


def test_opens_on_six_modes_with_a_finding(page):
    at = page()
    assert "modes let training move it" in heading(at)
    assert len(small(at)) == 6
    assert "ReLU output" in caption(at)
    assert payload(at) < 110_000
    assert any("PyTorch 2.13.0" in words(c.value) for c in at.main.caption)


@pytest.fixture(scope="module")
def every_mode():
    """Pictures and boxes of all modes, twelve at a time."""
    at = well(started(page=PAGE, tensor=RELU))
    shown, boxes = {}, []
    for some in batched(QUANTIZERS, 12):
        well(at.multiselect(key="fake_quant_modes").set_value(list(some)).run())
        shown |= small(at)
        boxes += [words(box.value) for box in at.info]
    return shown, boxes


@pytest.mark.parametrize("name", QUANTIZERS)
def test_every_mode_can_be_shown_or_says_why_not(every_mode, name):
    shown, boxes = every_mode
    reason = modes.refusal(QUANTIZERS[name](), Target.of())
    assert (f"fake-quant-{name}" in shown) == (reason is None)
    assert reason is None or any(reason in box for box in boxes)


def batched(names, count):
    names = list(names)
    return [names[i : i + count] for i in range(0, len(names), count)]


def test_the_usual_modes_begin_with_the_chosen_one_and_all_serve(page):
    for target in (Target.of(), Target.of(mode="torch.affine")):
        chosen = modes.usual(target)
        assert chosen[0] == QUANTIZERS.spell(target.mode)
        assert len(chosen) == len(set(chosen)) == 6
        assert all(modes.refusal(QUANTIZERS.make(s), target) is None for s in chosen)
        learning = [s for s in QUANTIZERS if modes.refusal(QUANTIZERS[s](), target) is None]
        assert {"torch.learnable", "tf.fake_quant"} <= set(chosen) & set(learning)


def test_variants_of_knobs_stand_in_the_list():
    spellings = modes.offered()
    assert set(QUANTIZERS) <= set(spellings)
    assert "tf.quantize_and_dequantize:version=V4" in spellings
    assert "affine:full_range=True" in spellings
    assert len(set(spellings.values())) == len(spellings)


def test_a_shifted_window_gives_one_value_and_says_so(page):
    at = page()
    upload(at, "mine.npy", npy(np.linspace(0.07, 0.13, 501, dtype=np.float32)))
    text = " ".join(words(c.value) for c in at.main.caption)
    assert "Every value lies above the window [0, 0.06] and comes back as 0.06." in text
    assert "this rule shifts [0.07, 0.13] to [0, 0.06]" in text
    row = sums(at).loc["TF fake_quant"]
    assert (row["Gradient to x"], row["Clipped above"]) == ("0 %", "100 %")
    assert row["Sum to parameters"] == "min 0, max +501"
    assert "Sums are exact." in caption(at)


def test_a_clipped_gradient_is_followed_in_words(page):
    at = asked(page(), 0.0, 1.0)
    well(at.number_input(key="fake_quant_value").set_value(2.0).run())
    (lines,) = said(at)
    assert "TF fake_quant: 2 is clipped and comes back as 1; none of its gradient reaches x: it " \
        "goes to max +1." in lines  # fmt: skip
    assert "Uniform: 2 is clipped and comes back as 1; its gradient is lost" in lines


def test_an_element_is_found_by_its_flat_index(page):
    at = page()
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    upload(at, "mine.npy", npy(x))
    (index,) = [box for box in at.number_input if "index" in box.key]
    well(index.set_value(7).run())
    assert "Uniform: 7 gets code" in said(at)[0]


def test_the_difference_to_the_first(page):
    at = page()
    well(at.toggle(key="fake_quant_minus").set_value(True).run())
    first, *others = small(at).values()
    assert np.abs(numbers(first["data"][0]["y"])).max() == 0
    assert any(np.abs(numbers(f["data"][0]["y"])).max() > 0 for f in others)
    assert "the difference to Uniform" in caption(at)


def test_sums_of_a_large_tensor_are_of_a_sample_until_asked(page):
    at = asked(page(tensor="synthetic::student_t", bits="4"), -8.0, 8.0)
    assert "estimated from a sample" in caption(at)
    rough = sums(at).loc["TF fake_quant", "Sum to parameters"]
    well(at.toggle(key="fake_quant_exact").set_value(True).run())
    exact = sums(at).loc["TF fake_quant", "Sum to parameters"]
    assert "Sums are exact." in caption(at)
    found = [float(text.split(" +")[1].rstrip(",").replace(",", "")) for text in (
        rough.split(", max")[0], exact.split(", max")[0])]  # fmt: skip
    assert found[0] == pytest.approx(found[1], rel=0.03)


def test_a_range_typed_backwards_is_told(page):
    at = asked(page(), 2.0, 1.0)
    assert "runs from 2 down to 1" in words(at.error[0].value)


def test_symmetric_codes_bring_the_learned_scales(page):
    at = page()
    well(at.button(key="fake_quant_symmetric").click().run())
    assert any("mindspore.learned_scale" in key for key in small(at))
    assert at.toggle(key="symmetric").value


def test_fine_steps_are_told(page):
    at = page()
    assert "too fine to see" in caption(at)
    press(at, "bits", 4)
    assert "too fine" not in caption(at)


# Batches


def test_evaluation_keeps_the_range_an_object_was_made_with(page):
    at = page(view="batches")
    training = said(at)[0]
    assert "holds" in training
    assert "[−6, 6], whatever comes" not in training
    press(at, "fake_quant_switch", "eval")
    assert heading(at).startswith("In evaluation none of")
    assert "the range it was made with, [−6, 6], whatever comes." in said(at)[0]


def test_training_first_and_then_evaluation(page):
    at = press(page(view="batches"), "fake_quant_switch", "eval")
    (box,) = [b for b in at.number_input if b.key.startswith("fake_quant_first")]
    well(box.set_value(3).run())
    assert "whatever comes" not in said(at)[0]
    assert heading(at).startswith("In evaluation after training on 3 of 8 batches, ")
    assert "the other 5 passed through and left it unchanged." in said(at)[0]
    assert all(
        figure["layout"]["shapes"][0]["x0"] == 3.5 for figure in small(at).values()
    )  # fmt: skip


def test_every_object_is_shown_alone_or_with_those_that_do_the_same(page):
    at = page(view="batches")
    titles = [STATEFUL.title_of(STATEFUL.make(name)) for name in STATEFUL.presets]
    assert sorted(at.dataframe[0].value["Object"]) == sorted(titles)
    assert 3 <= len(small(at)) < len(titles)
    well(at.multiselect(key="fake_quant_objects").set_value(["torch.fused"]).run())
    assert list(small(at)) == ["fake-quant-batches-torch.fused"]


def test_slices_and_settings(page):
    at = page(view="batches")
    assert "cut into 8 equal slices along axis 0" in caption(at)
    well(at.number_input(key="fake_quant_slices").set_value(5).run())
    assert "cut into 5 equal slices" in caption(at)
    well(at.multiselect(key="fake_quant_objects").set_value(["mindspore.default@doc"]).run())
    well(at.number_input(key="fake_quant-mindspore.default@doc-quant_delay").set_value(2).run())
    assert "The first 2 batches pass unquantized" in said(at)[0]


def test_the_tensors_own_batches_are_used(page):
    at = page(tensor="teaching::drifting_batches", view="batches")
    assert "12 batches along axis 0" in caption(at)
    assert not [b for b in at.number_input if b.key == "fake_quant_slices"]


def test_codes_that_no_object_has(page):
    at = press(page(view="batches"), "bits", 3)
    greys = " ".join(words(m.value) for m in at.main.markdown if m.value.startswith(":gray"))
    assert "4, 7 and 8 bits only" in greys
    assert any("torch" in key for key in small(at))


# Learned scale


def test_learned_scales_run_from_both_sides(page):
    at = press(page(view="learned"), "bits", 3)
    assert heading(at).startswith("Same loss, same rate 1: torch Learnable arrives in")
    path = figures(at)["training-path"]
    assert sum(t["type"] == "scatter" and t["mode"] == "lines" for t in path["data"]) == 6
    assert "codes 0 to 7" in caption(at)
    assert "the mean of (x' − x)²" in caption(at)
    assert payload(at) < 40_000


def test_every_rule_can_be_trained(page):
    at = page(view="learned")
    for some in batched(LEARNERS.presets, 4):
        well(at.multiselect(key="fake_quant_rules").set_value(list(some)).run())
        lines = "".join(said(at))
        assert all(str(LEARNERS.title_of(LEARNERS.make(name))) in lines for name in some)


def test_controls_of_the_training(page):
    at = press(page(view="learned"), "bits", 3)
    press(at, "fake_quant_start", "minmax")
    before = heading(at)
    well(at.select_slider(key="fake_quant_rate").set_value(0.01).run())
    assert heading(at) != before
    well(at.number_input(key="fake_quant_steps").set_value(10).run())
    assert figures(at)["training-path"]["layout"]["xaxis"]["range"] == [0, 10]
    well(at.slider(key="fake_quant_step").set_value(4).run())
    marks = [t for t in figures(at)["training-path"]["data"] if t.get("mode") == "markers"]
    assert {numbers(t["x"])[0] for t in marks} == {4}
    press(at, "fake_quant_start", "own")
    assert "each rule’s own" in caption(at)


def test_a_rate_that_is_too_high_is_told(page):
    at = press(page(tensor="synthetic::student_t", view="learned"), "bits", 3)
    well(at.select_slider(key="fake_quant_rate").set_value(30.0).run())
    assert "ran away" in heading(at)
    assert "the rate is too high for it" in " ".join(said(at))


def test_play_begins_at_the_first_step(page):
    at = press(page(view="learned"), "bits", 3)
    well(at.button(key="fake_quant_play").click().run())
    assert at.slider(key="fake_quant_step").value < 80
    assert at.button(key="fake_quant_play").label == "Stop"
    well(at.button(key="fake_quant_play").click().run())
    assert at.button(key="fake_quant_play").label == "Play"


ODD = {
    "constant": np.full(64, 2.0, np.float32),
    "zeros": np.zeros(64, np.float32),
    "nan": np.full((8, 8), np.nan, np.float32),
    "some_nan": np.array([1, np.nan, 2, np.inf] * 8, np.float32),
    "empty": np.zeros((0, 4), np.float32),
    "single": np.float32(1.5),
    "integers": np.arange(-50, 200, dtype=np.int32),
    "huge": np.array([1e300, -1e300]),
    "tiny": np.linspace(-3e-38, 3e-38, 99).astype(np.float32),
}


def test_odd_tensors_get_a_sentence_in_each_view(page):
    at = page()
    for name, x in ODD.items():
        upload(at, f"{name}.npy", npy(x))
        for view in ("gradient", "batches", "learned"):
            press(at, "fake_quant_view", view)
            told = [words(box.value) for box in at.main.error]
            assert told or heading(at), (name, view)
            assert name not in str(dict(at.query_params))
