"""The address says what is on screen, from page to page and back."""

import re

from playwright.sync_api import expect

from tests.browser.serving import idle

CHOICE = "tensor=teaching%3A%3Alaplace&bits=3&signed=true&symmetric=true"
expect.set_options(timeout=20_000)


def visit(page, name):
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    expect(page).to_have_url(re.compile(f"/{name}"))


def bits(page, width):
    return page.get_by_test_id("stSidebar").get_by_role("radio", name=width, exact=True)


def test_the_choice_goes_along(page):
    page.goto(f"/Observers?{CHOICE}")
    idle(page)
    visit(page, "Grid")
    expect(bits(page, "3")).to_be_checked()
    expect(page).to_have_url(re.compile(f"/Grid.{re.escape(CHOICE)}"))
    idle(page)


def test_the_way_back_finds_it(context, server):
    """On a page without the guard: Streamlit may drop the icon of the page that is left."""
    page = context.new_page()
    page.goto(f"{server}/Grid?{CHOICE}")
    idle(page)
    visit(page, "Rosetta")
    expect(bits(page, "3")).to_be_checked()
    expect(page.locator("h3")).to_contain_text("rules")
    idle(page)
    page.go_back()
    expect(page).to_have_url(re.compile("/Grid.*bits=3"))
    expect(bits(page, "3")).to_be_checked()
    expect(page.locator("h3")).not_to_contain_text("rules")
    idle(page)
