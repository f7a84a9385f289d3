"""TF Quantize as a person meets it."""

import re

from playwright.sync_api import expect

from tests.browser.acting import click_button, press
from tests.browser.serving import idle

PAGE = "/TF_Quantize?tensor=teaching%3A%3Abimodal"


VIEWS = {"Ranges": "answer", "Drift": "climbs", "Round trip": "grid spans", "Concat": "inputs"}


def heading(page):
    return page.locator("h3")


def opened(page, rest=""):
    page.goto(PAGE + rest)
    expect(heading(page)).to_have_count(1, timeout=40_000)
    idle(page)


def test_drift_against_the_documentation(page):
    opened(page, "&tf_view=Drift&tf_lo=-1&tf_hi=1")
    expect(heading(page)).to_contain_text("MIN_FIRST climbs one step per round trip")
    caption = page.get_by_test_id("stMain").get_by_test_id("stCaptionContainer").first
    expect(caption).to_contain_text("documentation says it is the other way round")
    expect(page.get_by_text("+1 step per round trip")).to_be_visible()


def test_an_example_then_another_type(page):
    opened(page)
    click_button(page, "[0.07, 0.13]")
    expect(heading(page)).to_contain_text("fake_quant answers [0, 0.06] and leaves one value")
    expect(page.get_by_test_id("stAlert")).to_contain_text("every value above 0.06")
    expect(page).to_have_url(re.compile("tf_lo=0.07"))
    press(page, "qint16")
    expect(page.get_by_role("radio", name="16", exact=True)).to_be_checked()
    expect(page).to_have_url(re.compile("bits=16"))
    press(page, "4")
    expect(page.get_by_test_id("stMain")).to_contain_text("for 8 and 16 bits")
    idle(page)


def test_a_phone_shows_every_view_without_scrolling_sideways(page):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, "&tf_lo=-1&tf_hi=1")
    for view, says in VIEWS.items():
        press(page, view)
        expect(heading(page)).to_contain_text(says)
        idle(page)
        wide = page.evaluate(
            "Math.max(...[document.documentElement,"
            "document.querySelector('[data-testid=stMain]')]"
            ".map(e => e.scrollWidth - e.clientWidth))"
        )
        assert wide <= 0, view
        chart = page.get_by_test_id("stPlotlyChart").first.bounding_box()
        assert chart["x"] >= 0 and chart["x"] + chart["width"] <= 390, view
