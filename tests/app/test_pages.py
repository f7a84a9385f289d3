"""Every page, observer, mode and sample can be shown."""

import pytest

from qviz.observers.base import OBSERVERS
from qviz.observers.selection import default_observers
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import PER_TENSOR, Granularity
from qviz.ui.library import _samples
from tests.app.reading import (
    PAGES,
    caption,
    expected,
    figures,
    heading,
    press,
    sample,
    started,
    table,
    well,
)

RELU = "teaching::relu"
PER_CHANNEL = Granularity("per_channel", 1)  # the usual one of an activation
TITLES = {OBSERVERS.title_of(observer) for observer in default_observers()}


@pytest.mark.parametrize("script", PAGES, ids=lambda script: script.stem)
def test_every_page_opens(open_app, script):
    at = well(open_app().switch_page(f"pages/{script.name}").run())
    assert heading(at)


def test_the_first_page_shows_a_result_at_once(open_app):
    at = open_app()
    assert set(table(at).index) == TITLES
    assert "1,000 × 1,000" in caption(at)
    assert figures(at)["ranges"]["data"]


@pytest.fixture(scope="module")
def all_added():
    """Tables with every observer added, by granularity."""
    at = well(started(tensor=RELU, add=list(OBSERVERS)))
    tables = {PER_TENSOR: table(at)}
    well(at.selectbox(key="granularity").set_value("per_channel").run())
    return tables | {PER_CHANNEL: table(at)}


@pytest.mark.parametrize("granularity", [PER_TENSOR, PER_CHANNEL], ids=str)
@pytest.mark.parametrize("name", OBSERVERS)
def test_every_observer_can_be_added(all_added, name, granularity):
    made = OBSERVERS[name]()
    row = all_added[granularity].loc[OBSERVERS.title_of(made)]
    refused = made.accepts(Target.of(granularity=granularity))
    if refused:
        assert row["Numbers"] == refused
    else:
        assert row["SQNR dB"] > -100 or len(row["Numbers"]) > len("sketch")


@pytest.mark.parametrize("name", QUANTIZERS)
def test_every_mode_can_be_chosen(open_app, name):
    at = well(open_app(tensor=RELU).selectbox(key="mode").set_value(name).run())
    shown = table(at)
    for row in expected(sample(RELU), Target.of(mode=name)).rows:
        if row.refused:
            assert shown.loc[row.title, "Numbers"] == row.refused
        elif row.qparams["scale"] is not None:
            assert shown.loc[row.title, "Scale"] == row.qparams["scale"][0]
        else:
            assert shown.loc[row.title, "SQNR dB"] > -100


@pytest.mark.parametrize("tensor", _samples())
def test_every_sample_opens_at_8_and_2_bits(open_app, tensor):
    at = open_app(tensor=tensor)
    assert _samples()[tensor].label in caption(at)
    assert [box.value for box in at.error] == []
    assert heading(at)
    assert set(table(at).index) == TITLES
    press(at, "bits", 2)
    assert heading(at)
    assert set(table(at).index) == TITLES
