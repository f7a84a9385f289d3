"""The Doctor page in a real browser: first sight, another finding, a repair, a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.acting import choose, click_button
from tests.browser.serving import idle

PAGE = "/Doctor?tensor=teaching%3A%3A{}&signed=true&symmetric=true&bits={}"


def heading(page):
    return page.locator("h3")


def chart(page, at):
    return page.get_by_test_id("stPlotlyChart").nth(at)


@pytest.fixture
def open_page(page):
    """Open a teaching tensor: ``open_page("relu", bits=4)``."""

    def opening(name, bits=8):
        page.goto(PAGE.format(name, bits))
        idle(page)
        return page

    return opening


def test_another_finding_and_its_picture(open_page):
    page = open_page("narrow_far", bits=4)
    expect(heading(page)).to_contain_text("0 lies far from it")
    expect(chart(page, 0).locator(".xtitle")).to_have_text("value")
    click_button(page, "Show")
    expect(chart(page, 0).locator(".xtitle")).to_have_text("code")
    idle(page)
    assert "doctor_shown=HALF-UNUSED" in page.url


def test_a_repair_is_applied(open_page):
    page = open_page("mixed_weight_ranges")
    expect(heading(page)).to_contain_text("One step for unlike channels")
    expect(chart(page, 0).locator(".trace .point").first).to_be_visible()
    click_button(page, "Apply: give each channel its own step")
    expect(heading(page)).not_to_contain_text("One step for unlike channels")
    idle(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("per channel")
    assert "granularity=" in page.url


def test_a_transform_is_opened_with_its_other_tensor(open_page):
    page = open_page("outlier_channel", bits=4)
    click_button(page, "Also known")
    choose(page, "Multiplied with", "Weight of the loud channel, 64 × 32, along axis 0")
    page.keyboard.press("Escape")
    click_button(page, "Open Transforms")
    expect(page).to_have_url(re.compile("/Channels"))
    idle(page)
    assert "channels_panel=Transforms" in page.url and "loud_channel_weight" in page.url
    expect(page.get_by_role("combobox", name="Tensor", exact=True)).to_have_value(
        "One loud channel"
    )
    other = page.get_by_role("combobox", name="Multiplied with")
    expect(other).to_have_value(re.compile("Weight of the loud channel, 64 × 32, along axis 0"))


def test_a_format_is_kept_in_the_address(open_page):
    page = open_page("narrow_far")
    click_button(page, "Also known")
    choose(page, "Stored as", "float8 e4m3fn")
    page.keyboard.press("Escape")
    expect(page.locator("strong", has_text="FP8-OVERFLOW")).to_be_visible()
    idle(page)
    assert "doctor_stored_as=float8" in page.url
    page.reload()
    expect(page.locator("strong", has_text="FP8-OVERFLOW")).to_be_visible()


def test_on_a_phone_the_shown_finding_stands_above_its_picture(open_page, page):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page("narrow_far", bits=4)
    main = page.get_by_test_id("stMain")
    expect(page.get_by_role("button", name="Show", exact=True)).to_have_count(0)
    before = main.evaluate("part => part.scrollTop")
    page.get_by_role("button", name="HALF-UNUSED").click()
    expect(chart(page, 0).locator(".xtitle")).to_have_text("code")
    idle(page)
    assert main.evaluate("part => part.scrollTop") == before
    picture = chart(page, 0).bounding_box()
    card = page.get_by_text("No value lies below 0").bounding_box()
    assert 0 < card["y"] < picture["y"] < 844 - 150  # at least its first part is seen
    expect(page.get_by_role("button", name="RANGE-FAR-FROM-ZERO")).to_be_visible()


def test_a_phone_stacks_cards_and_pictures(open_page, page):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page("outlier_channel", bits=4)
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0
    expect(heading(page)).to_contain_text("Channel 7 forces the step")
    boxes = [chart(page, at).bounding_box() for at in (0, 1)]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    notes = chart(page, 0).locator(".annotation-text")
    for box in (notes.nth(at).bounding_box() for at in range(notes.count())):
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def luminance(color):
    """Relative luminance of an ``rgb(...)``, as WCAG 2.2 defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * p for share, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_button_that_repairs_can_be_read(open_page, page, scheme):
    page.emulate_media(color_scheme=scheme)
    open_page("mixed_weight_ranges")
    button = page.get_by_role("button", name="Apply: give each channel its own step")
    words, back = (
        luminance(button.evaluate(f"e => getComputedStyle(e).{what}"))
        for what in ("color", "backgroundColor")
    )
    assert (max(words, back) + 0.05) / (min(words, back) + 0.05) >= 4.5
