"""The Observers page as a person meets it: every outcome is seen in the browser."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from qviz.observers.selection import default_observers
from tests.browser.acting import bring, click_button, press, type_in
from tests.browser.screenshots import addresses
from tests.browser.serving import ROOT, idle

ROWS = len(default_observers())
NAMES = (  # of tensors; a file is not trusted to name them kindly
    "<img src=x onerror=alert(1)>",
    '<a href="https://example.invalid">w</a>',
    "$\\href{javascript:1}{x}$",
    "[a](http://example.invalid)",
    "https://example.invalid/x",
    "www.example.invalid",
    "me@example.invalid",
    "../../etc/x",
    "a" * 3_000,
    "x\u202egnp.exe",
    "a\nb",
)
STRANGERS = """() => [...document.querySelectorAll('[data-testid="stApp"] :is(a[href], img)')]
    .filter(e => !e.closest('[data-testid$="Logo"]') && e.dataset.testid?.slice(-4) !== 'Logo')
    .map(e => e.href ?? e.src)
    .filter(address => new URL(address).origin !== location.origin)"""
TO_THE_TOP = "e => [e, ...e.querySelectorAll('*')].forEach(x => { x.scrollTop = 0 })"
expect.set_options(timeout=20_000)


def heading(page):
    return page.locator("h3")


def caption(page):
    return page.get_by_test_id("stMain").get_by_test_id("stCaptionContainer").first


def picture(page):
    return page.get_by_test_id("stPlotlyChart").first


def first_value(page):
    """The metric of the best row, in the picture."""
    return picture(page).locator(".textpoint text").first


def chip(page, title):
    return page.get_by_test_id("stMultiSelect").get_by_label(title, exact=True)


@pytest.fixture
def file(tmp_path):
    x = np.random.default_rng(0).normal(size=(60, 50)).astype(np.float32)
    np.save(tmp_path / "mine.npy", x)
    return tmp_path / "mine.npy"


def test_a_result_stands_there_at_once(app):
    expect(heading(app)).to_have_count(1)
    expect(heading(app)).to_contain_text("MinMax")
    expect(caption(app)).to_contain_text("1,000 × 1,000")
    expect(picture(app).locator(".textpoint text")).to_have_count(ROWS)
    expect(app.get_by_test_id("stDataFrame")).to_be_visible()
    expect(app).to_have_title("Observers · qviz")


def test_an_upload_changes_the_heading(app, file):
    before = heading(app).inner_text()
    bring(app, file)
    expect(app.get_by_test_id("stFileChip")).to_contain_text("mine.npy")
    expect(app.get_by_role("combobox", name="Tensor")).to_have_value("mine.npy")
    expect(caption(app)).to_contain_text("mine.npy, 60 × 50")
    expect(heading(app)).not_to_have_text(before)
    idle(app)
    assert "mine" not in app.url


def test_a_refused_upload_says_why_and_changes_nothing(app, tmp_path):
    (tmp_path / "notes.npy").write_text("Nothing but words.")
    before = heading(app).inner_text()
    bring(app, tmp_path / "notes.npy")
    box = app.get_by_test_id("stAlert")
    expect(box).to_contain_text("notes.npy is of no format that can be opened")
    expect(heading(app)).to_have_text(before)
    app.keyboard.press("Escape")
    click_button(app, "Dismiss")
    expect(box).to_have_count(0)


def test_a_path_opens_a_file_and_none_outside(app):
    click_button(app, "Open a file")
    path = app.get_by_role("textbox", name="or a path")
    path.fill("/etc/hostname")
    path.press("Enter")
    expect(app.get_by_test_id("stAlert")).to_contain_text("outside the folders")
    path.fill("sample_data/digits_cnn_rescaled.safetensors")
    path.press("Enter")
    expect(app.get_by_role("combobox", name="Tensor")).to_have_value(re.compile("fc1.weight"))
    expect(caption(app)).to_contain_text("32 × 256")
    expect(app.get_by_test_id("stAlert")).to_have_count(0)
    idle(app)


def test_bits_change_the_numbers_and_the_address(app):
    before = first_value(app).text_content()
    press(app, "4")
    expect(first_value(app)).not_to_have_text(before)
    expect(caption(app)).to_contain_text("4-bit")
    expect(app).to_have_url(re.compile("bits=4"))
    after = first_value(app).text_content()
    app.reload()
    idle(app)
    expect(first_value(app)).to_have_text(after)
    expect(app.get_by_role("radio", name="4", exact=True)).to_be_checked()


def test_a_click_on_a_row_turns_its_highlight_on_and_off(app):
    names = picture(app).locator(".y2tick text")
    row = names.all_text_contents().index("Percentile 99.99")
    for count in (1, 0):
        bar = picture(app).locator(".barlayer path").nth(row).bounding_box()
        app.mouse.click(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
        expect(chip(app, "Percentile 99.99")).to_have_count(count)
        expect(names.nth(row).locator('[style*="font-weight"]')).to_have_count(count)
        idle(app)
    expect(app).to_have_url(re.compile("show=mse"))


def test_panels_below_the_picture(app):
    for name, title in (("SQNR against bits", "bits"), ("Why this range?", "clip, tensor units")):
        press(app, name)
        expect(app.locator(".xtitle").filter(has_text=title)).to_have_count(1)
        expect(app.get_by_test_id("stDataFrame")).to_have_count(0)
    press(app, "Pin A and B")
    click_button(app, "Pin A")
    expect(app.get_by_test_id("stDataFrame")).to_be_visible()
    idle(app)


def test_knobs_make_a_row_of_their_own(app):
    click_button(app, "Rows")
    type_in(app, "keep", "99.995")
    names = picture(app).locator(".y2tick text")
    expect(names).to_have_count(ROWS + 1)
    expect(names.filter(has_text="99.995")).to_have_count(1)
    click_button(app, "Add a variant")
    expect(app).to_have_url(re.compile(r"add=percentile%3Akeep%3D99\.995"))
    expect(chip(app, "Percentile keep 99.995")).to_have_count(1)
    idle(app)


def test_a_sub_page_opened_first(page):
    page.goto("/Observers?tensor=teaching%3A%3Arelu&bits=2")
    expect(caption(page)).to_contain_text("ReLU output, 128 × 64")
    expect(caption(page)).to_contain_text("2-bit")
    idle(page)


def pick(app, at, words):
    """Choose a tensor by its place in the list; again where the list was drawn anew under it."""
    for last in (False, False, False, True):
        idle(app)
        app.keyboard.press("Escape")
        app.get_by_role("combobox", name="Tensor").click()
        app.get_by_role("listbox").evaluate(TO_THE_TOP)  # it opens at what is chosen
        app.locator(f'[role=option][aria-posinset="{at + 1}"]').click()  # others are not drawn
        try:
            expect(caption(app)).to_contain_text(words, timeout=20_000 if last else 4_000)
        except AssertionError:
            if last:
                raise
        else:
            return


def test_hostile_names_stay_text(app, tmp_path):
    arrays = {n: np.full((8 + i, 4), i, np.float32) for i, n in enumerate(NAMES)}
    arrays = {n: x + np.arange(4, dtype=np.float32) for n, x in arrays.items()}
    np.savez(tmp_path / "<b>names.npz", **arrays)
    dialogs = []
    app.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    bring(app, tmp_path / "<b>names.npz")
    expect(caption(app)).to_contain_text(f", {7 + len(NAMES)} × 4,")
    app.keyboard.press("Escape")
    for at, name in enumerate(NAMES):
        pick(app, at, f", {8 + at} × 4,")  # with the comma: not 18 × 4 for 8 × 4
        if name.isprintable() and len(name) < 50:
            assert name in caption(app).text_content().replace("\u2060", "")
        assert app.evaluate(STRANGERS) == []
    click_button(app, "About this tensor")
    expect(app.get_by_test_id("stText").first).to_contain_text("a")
    assert app.evaluate(STRANGERS) == [] and dialogs == []
    idle(app)


def test_a_link_would_be_noticed(app):
    app.evaluate(
        "document.querySelector('h3').innerHTML = '<a href=\"https://example.invalid\">x</a>'"
    )
    assert app.evaluate(STRANGERS) == ["https://example.invalid/"]


@pytest.fixture
def on_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/Observers")
    idle(page)
    return page


def sideways(page):
    """Pixels by which the page is wider than the screen."""
    return page.evaluate(
        "Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".map(e => e.scrollWidth - e.clientWidth))"
    )


def test_a_phone_shows_the_picture_without_scrolling_sideways(on_a_phone):
    assert sideways(on_a_phone) <= 0
    expect(heading(on_a_phone)).to_be_in_viewport()
    box = picture(on_a_phone).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    for place in (".y2tick text", ".textpoint text"):
        for label in picture(on_a_phone).locator(place).all():
            edge = label.bounding_box()
            assert edge["x"] >= 0 and edge["x"] + edge["width"] <= 390 and edge["height"] >= 10
    bars = picture(on_a_phone).locator(".barlayer path")
    assert bars.nth(0).bounding_box()["width"] > 40


def test_the_sidebar_of_a_phone_opens_and_works(on_a_phone):
    before = first_value(on_a_phone).text_content()
    on_a_phone.get_by_test_id("stExpandSidebarButton").click()
    press(on_a_phone, "2")
    expect(first_value(on_a_phone)).not_to_have_text(before)
    assert sideways(on_a_phone) <= 0
    idle(on_a_phone)


def light(color):
    """Brightness of an ``rgb(...)``, 0 to 255."""
    return sum(map(int, re.findall(r"\d+", color)[:3])) / 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_themes(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto("/Observers")
    idle(page)
    back = page.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    words = picture(page).locator(".y2tick text").last
    ink = words.evaluate("e => getComputedStyle(e).fill")
    assert (light(back) > 200, light(ink) > 200) == (scheme == "light", scheme == "dark")


@pytest.fixture(scope="session")
def looks_folder():
    """Where the pictures are kept for a person to look at."""
    folder = ROOT / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.looks
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=lambda size: str(size[0]))
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", addresses())
def test_looks(page, name, scheme, size, looks_folder):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(addresses()[name])
    idle(page)
    expect(heading(page)).to_be_in_viewport()
    assert sideways(page) <= 0
    page.evaluate("document.fonts.ready.then(() => true)")
    page.screenshot(path=looks_folder / f"{name}-{scheme}-{size[0]}.png", animations="disabled")
