"""Addresses: what is chosen can be shared, and a wrong address does no harm."""

import pytest

from qviz.observers.base import OBSERVERS
from qviz.ui.library import FIRST
from tests.app.reading import caption, chosen, heading, press, table, well, words

LINK = {
    "tensor": "teaching::relu",
    "bits": "4",
    "signed": "true",
    "show": ["minmax", "percentile:keep=99.95"],
    "add": "percentile:keep=99.95",
}


def test_an_address_restores_what_was_chosen(open_app):
    at = open_app(**LINK)
    assert chosen(at) == "teaching::relu"
    assert at.segmented_control(key="bits").value == 4
    assert at.toggle(key="signed").value is True
    assert at.multiselect(key="show").value == ["minmax", "percentile:keep=99.95"]
    assert "Percentile keep 99.95" in table(at).index
    assert at.query_params == LINK
    assert "4-bit" in caption(at)


def test_an_address_may_highlight_a_preset_by_its_name(open_app):
    at = open_app(tensor="teaching::relu", show="percentile_99.99")
    assert at.multiselect(key="show").value == ["percentile:keep=99.99"]


def test_what_is_chosen_reaches_the_address(open_app):
    at = open_app()
    assert at.query_params == {}
    well(at.multiselect(key="show").set_value(["absmax", "minmax"]).run())
    well(at.selectbox(key="tensor").set_value("teaching::softmax").run())
    assert at.query_params == {"tensor": "teaching::softmax", "show": ["absmax", "minmax"]}


def test_highlights_follow_the_results_until_a_person_chooses(open_app):
    at = open_app(tensor="teaching::outlier_channel")
    best = table(at)["SQNR dB"].idxmax()
    first, *others = at.multiselect(key="show").value
    assert OBSERVERS.title_of(OBSERVERS.make(first)) == best
    assert others == ["percentile", "minmax"]
    well(at.multiselect(key="show").set_value(["absmax"]).run())
    press(at, "bits", 2)
    assert at.multiselect(key="show").value == ["absmax"]


@pytest.mark.parametrize("tensor", ["teaching::constant", "codes_int8.npy::codes_int8"])
def test_a_row_that_loses_nothing_is_highlighted_first(open_app, tensor):
    at = open_app(tensor=tensor)
    first = OBSERVERS.title_of(OBSERVERS.make(at.multiselect(key="show").value[0]))
    assert table(at).index[0] == first and table(at).loc[first, "mse"] == 0


def test_an_unknown_sample_is_said_and_replaced(open_app):
    at = open_app(tensor="private.npy")
    (box,) = at.info
    assert words(box.value).startswith("No sample is called private.npy. Here is ")
    assert chosen(at) == FIRST and at.query_params == {}
    assert not well(at.run()).info


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "a" * 10_000, "a\u202eb\x00", ""])
def test_an_unknown_sample_of_a_strange_name(open_app, name):
    at = open_app(tensor=name)
    (box,) = at.info
    assert "<" not in box.value.replace("\\<", "")
    assert box.value.isprintable() and len(box.value) < 300
    assert chosen(at) == FIRST


JUNK = {
    "bits in words": {"bits": "eight"},
    "bits below": {"bits": "0"},
    "bits above": {"bits": "99"},
    "bits negative": {"bits": "-4"},
    "a digit that is no number": {"bits": "²"},
    "bits of 5000 digits": {"bits": "9" * 5000},
    "no such granularity": {"granularity": "per_cent"},
    "no such axis": {"tensor": "teaching::relu", "granularity": "per_channel", "axis": "7"},
    "no such mode": {"mode": "nearest"},
    "no such view": {"view": "back"},
    "no such panel": {"panel": "cellar"},
    "no such framework": {"sets": ["caffe", "torch"]},
    "no such observers": {"show": ["minmx", "a" * 5000], "add": ["minmx", "percentile:keep=nan"]},
    "knobs that cannot be": {"add": ["percentile:keep=500", "percentile:sides=one", "sigma:k="]},
    "codes that cannot be": {"custom": "true", "quant_min": "9", "quant_max": "3"},
    "unknown parameters": {"tensor_": "1", "x" * 200: "y"},
}


@pytest.mark.parametrize("case", JUNK)
def test_junk_in_the_address_does_no_harm(open_app, case):
    at = open_app(**JUNK[case])
    assert chosen(at) == JUNK[case].get("tensor", FIRST)
    assert heading(at) and len(table(at)) > 10


def test_rows_that_cannot_be_made_say_why(open_app):
    odd = ["manual:lo=3,hi=-3", "typed:scale=0", "typed:scale=-1", "typed:quant_min=5,quant_max=1"]
    shown = table(open_app(tensor="teaching::relu", add=odd))
    for spelling in odd:
        title = {"manual": "Manual", "typed": "Typed qparams"}[spelling.split(":")[0]]
        rows = shown[shown.index.str.startswith(title)]
        assert rows["SQNR dB"].isna().all() and (rows["Numbers"].str.len() > 10).all()
