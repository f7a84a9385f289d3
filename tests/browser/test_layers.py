"""The Layers page in a real browser: one click to the finding, a row opened, a phone."""

import re

from playwright.sync_api import expect

from tests.browser.acting import click_button
from tests.browser.serving import idle

TWIN = "/Layers?layers_model=digits_cnn_rescaled&layers_activations_bits=4"
LONG = 90_000  # milliseconds for both runs of the model


def heading(page):
    return page.locator("h3")


def opened(page, path, finding):
    """The page once its heading says what was found and nothing is at work."""
    page.goto(path)
    expect(heading(page)).to_contain_text(finding, timeout=LONG)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=LONG)
    idle(page)
    return page


def test_one_click_finds_the_layer_and_a_row_opens_it(page):
    page.goto("/Layers?layers_activations_bits=4")
    idle(page)
    expect(heading(page)).to_have_text("Layers needs a model or a set of tensors")
    click_button(page, "Digits CNN, rescaled twin")
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    expect(heading(page)).to_contain_text("relu is the layer", timeout=LONG)
    assert "layers_model=digits_cnn_rescaled" in page.url
    idle(page)
    canvas = page.get_by_test_id("stDataFrame").locator("canvas").first
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + 190, box["y"] + 52)  # anywhere in the first row
    expect(page.get_by_test_id("stMain")).to_contain_text("relu is the tensor on every page now")
    page.get_by_role("link", name="Which channels?").click()
    expect(heading(page)).to_contain_text("Channel 3 sets the step", timeout=30_000)
    expect(page.get_by_role("combobox", name="Tensor")).to_have_value(re.compile("relu"))
    idle(page)
    assert "relu" not in page.url


def click_row(page, name, share):
    """Click in a picture's row, so far from the left edge of its first column to the right."""
    idle(page)
    chart = page.get_by_test_id("stPlotlyChart")
    label = chart.locator(".ytick text").filter(has_text=re.compile(rf"^{name}\b(?!\.)"))
    place, plot = label.bounding_box(), chart.locator(".nsewdrag").first.bounding_box()
    page.mouse.click(plot["x"] + share * plot["width"], place["y"] + place["height"] / 2)
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text(f"{name} is the tensor on every page now, quantized as here")
    idle(page)


def test_a_row_of_a_picture_is_opened_by_a_click_on_it(page):
    opened(page, f"{TWIN}&layers_view=Ranges", "reaches")
    click_row(page, "hard_swish", 0.03)  # on its thin line, far from any mark
    page.get_by_text("Alone", exact=True).click()
    expect(heading(page)).to_contain_text("relu alone costs", timeout=LONG)
    idle(page)
    click_row(page, "relu", 0.5)
    page.get_by_role("link", name="Why?").click()
    expect(page.get_by_role("combobox", name="Tensor")).to_have_value(re.compile("· relu$"))
    idle(page)
    bits = page.get_by_test_id("stSidebar").get_by_role("radio", name="4", exact=True)
    expect(bits).to_be_checked()
    assert "bits=4" in page.url and "relu" not in page.url


def no_sideways_scroll(page):
    return page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )


def test_each_layer_alone_is_a_picture_and_on_a_phone_a_table(page):
    opened(page, f"{TWIN}&layers_view=Alone", "relu alone costs")
    chart, table = page.get_by_test_id("stPlotlyChart"), page.get_by_test_id("stDataFrame")
    expect(chart.locator(".ytick text").first).to_contain_text("images")
    expect(chart.locator(".annotation-text", has_text="all but this one")).to_be_visible()
    expect(table).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(chart).to_be_hidden()
    expect(table).to_be_visible()
    assert no_sideways_scroll(page)


def test_the_table_of_a_phone_has_the_name_and_what_counts(page):
    opened(page, TWIN, "relu is the layer")
    wide, few = page.get_by_test_id("stDataFrame").all()
    expect(wide).to_be_visible()
    expect(few).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(wide).to_be_hidden()
    expect(few).to_be_visible()
    heads = few.locator("[role=columnheader]")
    expect(heads).to_have_text(["Layer", "SQNR dB", "Alone"])
    box = few.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and no_sideways_scroll(page)
    idle(page)
    few.scroll_into_view_if_needed()
    place = few.locator("canvas").first.bounding_box()
    page.mouse.click(place["x"] + 40, place["y"] + 52)  # the name in the first row
    expect(page.get_by_test_id("stMain")).to_contain_text("relu is the tensor on every page now")


def test_a_phone_holds_the_ranges(page):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, f"{TWIN}&layers_view=Ranges", "reaches")
    box = page.get_by_test_id("stPlotlyChart").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert no_sideways_scroll(page)
