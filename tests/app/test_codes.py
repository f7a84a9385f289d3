"""Numbers that are pasted, and integers that are codes."""

import io

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from tests.app.reading import (
    caption,
    choose,
    chosen,
    expected,
    figures,
    heading,
    kept,
    noise,
    npy,
    npz,
    table,
    upload,
    well,
    words,
)

CODES = np.random.default_rng(3).integers(-100, 100, (16, 8), dtype=np.int8)


def paste(at, text):
    return well(at.text_area(key="pasted").set_value(text).run())


def test_pasted_numbers_are_shown(open_app):
    at = paste(open_app(), "[[0.5, -1.25], [3, 4]]")
    assert chosen(at) == "pasted numbers" and "2 × 2" in caption(at)
    shown = table(at)
    for row in expected(np.array([[0.5, -1.25], [3, 4]])).rows:
        assert shown.loc[row.title, "Lower"] == row.range.lo[0]
    assert at.query_params == {} and len(kept(at)) == 1
    paste(at, "1 2 3")
    assert chosen(at) == "pasted numbers (2)" and "3" in caption(at)


@pytest.mark.parametrize("text", ["1, two", "[1", "..."])
def test_what_is_no_number_is_told_and_leaves_nothing(open_app, text):
    at = paste(open_app(tensor="teaching::relu"), text)
    assert len(at.error) == 1
    assert chosen(at) == "teaching::relu" and kept(at) == []


def test_refusals_of_what_is_typed_have_codes(open_app):
    at = paste(open_app(), "1 1e400")
    assert at.error[0].value.endswith("(L25)") and "Number 2, 1e400" in at.error[0].value
    at = well(at.text_input(key="path").set_value("/etc/passwd").run())
    assert at.error[0].value.endswith("(L19)")
    at = well(at.text_input(key="path").set_value("none.npy").run())
    assert at.error[0].value.endswith("(L00)")


def test_lines_of_unequal_length_are_one_list_and_it_is_said(open_app):
    at = paste(open_app(), "1 2\n3")
    told = [c.value for c in at.caption if "unequal lengths" in c.value]
    assert len(told) == 2  # beside the box, and about the tensor
    at = paste(at, "1 2\n3 4")
    assert not [c for c in at.caption if "unequal lengths" in c.value]


def press(at, fingerprint, scale, zero):
    at.number_input(key=f"codes_scale-{fingerprint}").set_value(scale)
    at.number_input(key=f"codes_zero-{fingerprint}").set_value(zero)
    return well(at.button(key=f"codes_open-{fingerprint}").click().run())


def offer(at):
    """The fingerprint whose codes are offered to be opened, if any."""
    found = [b.key for b in at.button if (b.key or "").startswith("codes_open-")]
    return found[0].removeprefix("codes_open-") if found else None


def test_typed_scale_and_zero_point_open_the_values(open_app):
    at = upload(open_app(), "codes.npy", npy(CODES))
    assert chosen(at) == "codes.npy"
    at = press(at, offer(at), 0.5, 3)
    assert chosen(at) == "codes (dequantized)"
    assert table(at).loc["MinMax", "Lower"] == 0.5 * (int(CODES.min()) - 3)
    assert offer(at) is None  # values are no codes


def bars(at):
    """Bars of the codes in use, and the axis they stand on; None where there are none."""
    found = [f for key, f in figures(at).items() if key.startswith("codes_bars-")]
    return (*found[0]["data"], found[0]["layout"]["xaxis"]["title"]["text"]) if found else None


def test_codes_have_a_bar_each_over_what_they_stand_for(open_app):
    few = np.array([[-3, -3, -1], [0, 0, 0]], np.int8)
    at = upload(open_app(), "codes.npy", npy(few))
    used, hollow, _ = bars(at)
    assert (used["x"], used["y"], hollow["x"]) == ([-3, -1, 0], [2, 1, 3], [-2])
    mark = offer(at)
    at.number_input(key=f"codes_scale-{mark}").set_value(0.5)
    well(at.number_input(key=f"codes_zero-{mark}").set_value(-3).run())
    assert bars(at)[0]["x"] == [0, 1, 1.5]
    assert any("3 of the 4 codes from −3 to 0 in use" in c.value for c in at.caption)
    for scale in (0.0, 1e300):
        well(at.number_input(key=f"codes_scale-{mark}").set_value(scale).run())
        assert bars(at)[0]["x"] == [-3, -1, 0] and bars(at)[2] == "code"


def test_codes_with_a_known_scale_stand_over_their_levels(open_app):
    pair = {"w": np.array([[1, 2, 2], [5, 1, 1]], np.uint8), "w_scale": np.float32(0.25)}
    at = upload(open_app(), "a.npz", npz(**pair))
    assert chosen(at) == "a.npz::w (dequantized)" and bars(at) is None
    at = choose(at, "a.npz::w")
    assert bars(at)[0]["x"] == [0.25, 0.5, 1.25] and offer(at) is None
    each = pair | {"w_scale": np.array([0.25, 2], np.float32)}
    at = choose(upload(at, "b.npz", npz(**each)), "b.npz::w")
    assert bars(at)[0]["x"] == [1, 2, 5] and bars(at)[2] == "code"


def test_a_scale_that_cannot_be_is_told(open_app):
    at = upload(open_app(), "codes.npy", npy(CODES))
    at = press(at, offer(at), 0.0, 0)
    (box,) = at.error
    assert "A scale is not a positive number" in words(box.value)
    assert chosen(at) == "codes.npy"


@pytest.mark.parametrize("x", [np.arange(1000), noise(1, 4, 4), np.array([True, False])])
def test_other_tensors_are_not_offered_as_codes(open_app, x):
    assert offer(upload(open_app(), "x.npy", npy(x))) is None


def test_a_quantized_model_opens_at_its_values(open_app):
    stored = [numpy_helper.from_array(CODES, "w"), numpy_helper.from_array(np.float32(0.25), "s")]
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["r"])]
    nodes += [helper.make_node("MatMul", ["x", "r"], ["y"])]
    made, stream = helper.make_model(helper.make_graph(nodes, "g", [], [], stored)), io.BytesIO()
    onnx.save(made, stream)
    at = upload(open_app(), "m.onnx", stream.getvalue())
    assert chosen(at) == "m.onnx::w (dequantized)"
    assert table(at).loc["MinMax", "Lower"] == 0.25 * int(CODES.min())
    facts = next(d.value for d in at.dataframe if "fact" in d.value.columns)
    assert "scale 0.25, zero point 0" in facts["value"].tolist()


def test_numbered_arrays_are_seen_batch_by_batch(open_app):
    x = noise(5, 6, 4)
    at = upload(open_app(), "b.npz", npz(batch_0=x, batch_1=x[:2]))
    assert chosen(at) == "b.npz::batch_*" and "8 × 4" in caption(at)
    (slider,) = [s for s in at.slider if s.label == "Batches seen"]
    assert slider.max == 2


def test_numbers_beyond_their_type_are_said(open_app):
    at = upload(open_app(), "big.npy", npy(np.array([1e300, -1e300, 1.0])))
    assert any("does not fit float32" in w.value for w in at.warning)
    at = upload(at, "wide.npy", npy(np.array([2**60, -5, 7])))
    assert any("2^53" in w.value for w in at.warning)
    assert heading(at)
