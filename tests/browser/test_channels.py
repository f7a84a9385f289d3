"""The Channels page in a real browser: first sight, a click on a dot, a channel as a tensor."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.acting import click_button
from tests.browser.serving import idle

PAGE = "/Channels?tensor=teaching%3A%3Aoutlier_channel&signed=true&symmetric=true"


def heading(page):
    return page.locator("h3")


def chart(page, at):
    return page.get_by_test_id("stPlotlyChart").nth(at)


@pytest.fixture
def channels(page):
    """The page with the loud channel, opened and idle."""
    page.goto(PAGE)
    idle(page)
    return page


def click_dot(page, at):
    """Click a dot of the right-hand picture, counted from the top."""
    dot = chart(page, 1).locator(".scatterlayer .trace").last.locator(".point").nth(at)
    box = dot.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_loud_channel_at_first_sight(channels):
    expect(heading(channels)).to_contain_text(
        "Channel 7 sets the step: 63 of 64 channels fall below 20 dB"
    )
    expect(channels.get_by_test_id("stMain")).to_contain_text(
        "Overall 25.8 dB per tensor hides this"
    )
    expect(chart(channels, 0).locator(".ytick text").first).to_have_text("7")
    expect(chart(channels, 0).locator(".hm image")).to_have_count(1)
    tops = [
        chart(channels, at).locator(".bglayer, .plot").first.bounding_box()["y"] for at in (0, 1)
    ]
    assert abs(tops[0] - tops[1]) <= 1  # both pictures share their rows


def test_a_click_on_a_dot_picks_its_channel_which_opens_as_a_tensor(channels):
    click_dot(channels, 0)
    expect(channels.get_by_role("button", name="Open channel 7 as a tensor")).to_be_visible()
    expect(chart(channels, 0).locator(".ytick text").first).to_contain_text("7")
    click_button(channels, "Open channel 7 as a tensor")
    expect(channels.get_by_role("combobox", name="Tensor")).to_have_value(re.compile("channel 7"))
    expect(channels.get_by_test_id("stMain")).to_contain_text("taken as groups instead")
    idle(channels)
    assert "channel" not in channels.url.partition("?")[2]
    click_button(channels, "Back to the whole tensor")
    expect(heading(channels)).to_contain_text("Channel 7 sets the step")
    idle(channels)


def test_a_phone_stacks_the_pictures(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(PAGE)
    idle(page)
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0
    boxes = [chart(page, at).bounding_box() for at in (0, 1)]
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    names = [chart(page, 0).locator(".annotation-text").nth(i).bounding_box() for i in range(3)]
    for at, one in enumerate(names):
        assert one["x"] >= 0 and one["x"] + one["width"] <= 390
        for other in names[at + 1 :]:
            beside = (
                one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            )
            assert beside or abs(one["y"] - other["y"]) >= 10
