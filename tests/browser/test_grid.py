"""The Grid page as a person meets it."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.acting import bring, click_button, press, type_in
from tests.browser.serving import idle

expect.set_options(timeout=20_000)
TIE = np.float32(0.052941177)  # 4.5 steps of the range [-0.5, 2.5] at 8 bits


def heading(page):
    return page.locator("h3")


def card(page, label):
    return page.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def sideways(page):
    """Pixels by which the page is wider than the screen."""
    return page.evaluate(
        "Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".map(e => e.scrollWidth - e.clientWidth))"
    )


@pytest.fixture
def grid(page):
    """The page on a small weight at 4 bits."""
    page.goto("/Grid?tensor=teaching%3A%3Agaussian&bits=4")
    expect(heading(page)).to_contain_text("the grid covers")
    idle(page)
    return page


def test_a_typed_range_reaches_heading_numbers_and_address(grid):
    before = card(grid, "SQNR").inner_text()
    type_in(grid, "Lower", "-0.1")
    expect(grid).to_have_url(re.compile(r"grid_lo=-0\.1"))
    type_in(grid, "Upper", "0.1")
    expect(heading(grid)).to_contain_text("Asked for [−0.1, 0.1]; the grid covers [")
    expect(card(grid, "SQNR")).not_to_have_text(before)
    idle(grid)
    after = card(grid, "SQNR").inner_text()
    grid.reload()
    expect(card(grid, "SQNR")).to_have_text(after)
    expect(heading(grid)).to_contain_text("Asked for [−0.1, 0.1]")
    idle(grid)


def test_the_slider_moves_by_keys(grid):
    before = heading(grid).inner_text()
    handle = grid.get_by_test_id("stSlider").locator("input[type=range], [role=slider]").first
    handle.focus()
    for _ in range(8):
        handle.press("ArrowRight")
    expect(heading(grid)).not_to_have_text(before)
    expect(grid).to_have_url(re.compile(r"grid_lo=-0\.\d"))
    idle(grid)


def test_a_click_on_a_bin_asks_about_its_element(grid):
    columns = grid.locator(".js-plotly-plot .subplot.xy .barlayer path")
    box = columns.nth(columns.count() // 2).bounding_box()
    grid.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40)  # it reaches below the frame
    expect(heading(grid)).to_contain_text(re.compile(r"Element [\d,]+ comes back as 0 in"))
    expect(grid).to_have_url(re.compile(r"grid_index=\d+"))
    expect(grid.get_by_role("radio", name="Why this element?")).to_be_checked()
    idle(grid)
    said = heading(grid).inner_text()
    grid.reload()
    expect(heading(grid)).to_have_text(said)
    idle(grid)


def test_the_next_tie_is_explained(page, tmp_path):
    x = np.random.default_rng(0).normal(size=5_000).astype(np.float32)
    x[4217] = TIE
    np.save(tmp_path / "mine.npy", x)
    page.goto("/Grid?grid_show=Why+this+element%3F")
    bring(page, tmp_path / "mine.npy")
    expect(page.get_by_test_id("stMain").get_by_text("mine.npy").first).to_be_visible()
    page.keyboard.press("Escape")
    type_in(page, "Lower", "-0.5")
    type_in(page, "Upper", "2.5")
    expect(page.get_by_text("on the range [−0.5, 2.5]")).to_be_visible()
    click_button(page, "Next tie")
    expect(heading(page)).to_contain_text("Element 4,217 is exactly half-way")
    expect(page.locator(".js-plotly-plot").get_by_text("on it")).to_have_count(2)
    assert "mine" not in page.url
    idle(page)


def test_a_range_upside_down_is_told_and_mended(grid):
    type_in(grid, "Lower", "9")
    expect(grid.get_by_test_id("stAlert")).to_contain_text("Exchange its ends")
    type_in(grid, "Upper", "12")
    expect(heading(grid)).to_contain_text("because it must hold zero")
    idle(grid)


def test_a_phone_holds_both_views(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/Grid?tensor=teaching%3A%3Arelu&bits=3")
    expect(heading(page)).to_contain_text("Nothing is clipped")
    idle(page)
    assert sideways(page) <= 0
    box = page.get_by_test_id("stPlotlyChart").first.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    press(page, "Why this element?")
    expect(heading(page)).to_contain_text("Element 0")
    idle(page)
    assert sideways(page) <= 0
    assert page.locator(".st-key-wide-grid-bits").is_hidden()
