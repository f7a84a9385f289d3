"""The landscape as a person meets it: opened, moved by keys, small, dark."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.acting import press
from tests.browser.serving import idle

HILL = "/Observers?observers_view=Landscape&bits=4&symmetric=true"
FIELD = "/Observers?observers_view=Landscape&bits=4"
expect.set_options(timeout=20_000)


def heading(page):
    return page.locator("h3")


def card(page, label):
    found = page.get_by_test_id("stMetric").filter(has_text=label)
    return found.get_by_test_id("stMetricValue")


def charts(page):
    return page.get_by_test_id("stPlotlyChart").filter(visible=True)


def fits(page):
    """Whether nothing scrolls sideways."""
    return page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )


def test_from_ranges_to_the_landscape_and_into_the_address(page):
    page.goto("/Observers?bits=4&symmetric=true")
    idle(page)
    press(page, "Landscape")
    expect(heading(page)).to_contain_text("Keep ±")
    expect(page).to_have_url(re.compile("observers_view=Landscape"))
    expect(charts(page)).to_have_count(1)
    expect(charts(page).locator(".ytitle")).to_have_text("SQNR, dB")
    expect(charts(page).get_by_text("if only clipping hurt")).to_be_visible()
    idle(page)


def test_the_clip_moves_by_keys_and_its_numbers_follow(page):
    page.goto(HILL)
    idle(page)
    before = card(page, "SQNR").inner_text()
    kept = card(page, "You keep").inner_text()
    heading_before = heading(page).inner_text()
    knob = page.get_by_role("slider", name="Move the clip")
    knob.focus()
    for _ in range(12):
        knob.press("ArrowLeft")
    expect(card(page, "You keep")).not_to_have_text(kept)
    expect(card(page, "SQNR")).not_to_have_text(before)
    expect(heading(page)).to_have_text(heading_before)
    idle(page)


def test_the_field_has_names_bands_and_a_scale(page):
    page.goto(FIELD)
    idle(page)
    expect(charts(page)).to_have_count(1)
    expect(charts(page).locator(".contour")).not_to_have_count(0)
    expect(charts(page).get_by_text("dB lost")).to_be_visible()
    expect(charts(page).get_by_text("Moving average · ")).to_be_visible()
    expect(charts(page).get_by_text("you", exact=True)).to_be_visible()
    assert fits(page)


@pytest.mark.parametrize("address", [HILL, FIELD], ids=["hill", "field"])
def test_on_a_phone(page, address):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    idle(page)
    expect(charts(page)).to_have_count(1)
    expect(heading(page)).to_contain_text("Keep ")
    assert fits(page)
    if address == FIELD:
        expect(charts(page).get_by_text("Moving average · ")).to_have_count(0)
