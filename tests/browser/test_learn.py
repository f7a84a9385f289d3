"""Two lessons as a person takes them: predict, then look."""

import re

from playwright.sync_api import expect

from tests.browser.acting import click_button
from tests.browser.serving import idle

expect.set_options(timeout=20_000)


def opened(page, lesson):
    page.goto(f"/Learn?lesson={lesson}")
    idle(page)


def guess(page, value):
    box = page.get_by_test_id("stMain").get_by_test_id("stNumberInputField")
    expect(box).to_have_count(1)
    box.fill(value)
    click_button(page, "Check")


def test_a_guess_opens_the_controls_and_shows_the_curve(page):
    opened(page, "clip_or_round")
    slider = page.get_by_test_id("stMain").get_by_role("slider")
    expect(slider).to_be_disabled()
    expect(page.get_by_text("It appears once you have guessed.")).to_be_visible()
    guess(page, "4.8")
    expect(page.get_by_text("Right: 4.82")).to_be_visible()
    expect(page.get_by_text("both together")).to_be_visible()
    expect(slider).to_be_enabled()
    expect(page.get_by_text("✓ 3")).to_be_visible()
    before = page.locator("h3").inner_text()
    idle(page)
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator("h3")).not_to_have_text(before)
    page.get_by_role("link", name="Error against clip on your own tensor").click()
    expect(page.locator("h3")).to_contain_text("Keep ±")
    expect(page).to_have_url(re.compile("bits=4.*symmetric=true"))
    page.go_back()
    expect(page.get_by_text("Right: 4.82")).to_be_visible()
    click_button(page, "Zero is a code")
    expect(page.locator("h3")).to_have_text("Which code stands for 0?")
    idle(page)


def test_a_wrong_guess_is_answered_on_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, "loud_channel")
    guess(page, "255")
    expect(page.get_by_text("channel 7 holds 98.3% of the energy")).to_be_visible()
    expect(page.get_by_test_id("stMain").get_by_role("radio").first).to_be_disabled()
    click_button(page, "Ask me with other numbers")
    expect(page.get_by_text("Channel 7 is 20 times louder")).to_be_visible()
    guess(page, "19")
    expect(page.get_by_text("Right: 19")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    idle(page)
