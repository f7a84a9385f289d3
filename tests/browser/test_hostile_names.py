"""A file whose tensors and columns bear hostile names, walked through every page in a browser."""

import pytest
from playwright.sync_api import expect

from tests.app.test_hostile_names import NAMES, hostile
from tests.browser.acting import bring
from tests.browser.serving import idle
from tests.browser.test_observers import caption

IMAGE, LINK = NAMES[:2]
# Links and pictures that are neither the app's own pages, its logo nor drawn by the app itself.
STRANGERS = """() => [...document.querySelectorAll('[data-testid="stApp"] :is(a[href], img)')]
    .filter(e => !e.closest('[data-testid="stPageLink"], [data-testid*="Logo"]'))
    .map(e => e.getAttribute('href') ?? e.getAttribute('src'))
    .filter(address => !address.startsWith('data:image/') && !address.startsWith('#'))"""


@pytest.fixture
def dialogs(page):
    """Messages of dialogs that the page opened; there must be none."""
    found = []
    page.on("dialog", lambda dialog: (found.append(dialog.message), dialog.dismiss()))
    yield found
    assert found == []


@pytest.fixture
def app(page, dialogs, tmp_path):
    """The Observers page with the hostile file in it."""
    path = tmp_path / "=<b>names.safetensors"
    path.write_bytes(hostile())
    page.goto("/Observers")
    idle(page)
    bring(page, path)
    expect(caption(page)).to_contain_text(IMAGE)
    page.keyboard.press("Escape")
    idle(page)
    return page


def test_names_stay_text_in_list_heading_and_pictures_of_every_page(app):
    app.get_by_role("combobox", name="Tensor").click()
    options = app.get_by_role("option")
    expect(options.filter(has_text=LINK)).to_have_count(1)
    expect(options.filter(has_text="(no name)")).to_have_count(1)
    assert all(len(text) <= 90 for text in options.all_text_contents())
    app.keyboard.press("Escape")
    for at in range(app.get_by_test_id("stPageLink").locator("a").count()):
        app.get_by_test_id("stPageLink").locator("a").nth(at).click()
        idle(app)
        expect(app.locator("h3").first).to_be_visible()
        for box in app.get_by_role("combobox", name="Tensor").all():  # folded on some pages
            assert "<b>names" in box.input_value()
        assert app.evaluate(STRANGERS) == []
        bold = app.get_by_test_id("stMain").locator("b").filter(has_text="names")
        expect(bold).to_have_count(0)
