"""The Fake quant page as a person meets it: pictures side by side, batches, a scale in training."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.acting import bring, click_button, press
from tests.browser.serving import idle

expect.set_options(timeout=20_000)
WIDE = "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"


def opened(page, query=""):
    page.goto(f"/Fake_quant{query}")
    expect(page.locator("h3")).to_have_count(1)
    idle(page)
    return page


def charts(page):
    return page.get_by_test_id("stPlotlyChart")


def test_six_modes_side_by_side(page):
    opened(page, "?bits=3&fake_quant_lo=-0.8&fake_quant_hi=2.2")
    expect(page.locator("h3")).to_contain_text("One range asked for, 3 grids delivered")
    expect(charts(page)).to_have_count(6)
    tops = [charts(page).nth(i).bounding_box()["y"] for i in range(6)]
    assert len(set(tops[:3])) == len(set(tops[3:])) == 1
    expect(charts(page).nth(2)).to_contain_text("to max")


def test_a_window_that_misses_the_data_is_told(page, tmp_path):
    np.save(tmp_path / "mine.npy", np.linspace(0.07, 0.13, 501, dtype=np.float32))
    opened(page)
    bring(page, tmp_path / "mine.npy")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("Every value lies above the window [0, 0.06]")
    assert "mine" not in page.url


def test_training_and_evaluation_differ(page):
    opened(page)
    press(page, "Batches")
    expect(page.locator("h3")).to_contain_text("After 8 batches")
    press(page, "Evaluation")
    expect(page.locator("h3")).to_contain_text("In evaluation none of")
    expect(page.get_by_test_id("stMain")).to_contain_text("[−6, 6], whatever comes")
    idle(page)
    page.reload()
    expect(page.locator("h3")).to_contain_text("In evaluation none of")


def test_a_scale_is_trained_and_played(page):
    opened(page, "?bits=3&tensor=teaching::relu")
    press(page, "Learned scale")
    expect(page.locator("h3")).to_contain_text("torch Learnable arrives in")
    expect(charts(page)).to_have_count(2)
    expect(charts(page).first).to_contain_text("gradient ÷ √7")
    click_button(page, "Play")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # at the end it stops
    expect(charts(page).nth(1)).to_contain_text("after step 80")


@pytest.mark.parametrize("view", ["Forward and gradient", "Batches", "Learned scale"])
def test_nothing_scrolls_sideways_on_a_phone(page, view):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, "?bits=4&fake_quant_view=" + re.sub(" ", "+", view))
    assert page.evaluate(WIDE) <= 0
