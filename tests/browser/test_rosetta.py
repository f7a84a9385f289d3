"""The Rosetta page as a person meets it."""

import re

import pytest
from playwright.sync_api import expect

from qviz.rosetta import rules
from tests.browser.acting import choose, click_button, press
from tests.browser.serving import idle

TYPED = "/Rosetta?rosetta_by=Typed+range&rosetta_lo=-0.5&rosetta_hi=2.5"
BOXES = """all => all.map(e => e.getBoundingClientRect())
    .map(b => [b.left, b.top, b.right, b.bottom])"""
expect.set_options(timeout=20_000)


def heading(page):
    return page.locator("h3")


def caption(page):
    return page.get_by_test_id("stMain").get_by_test_id("stCaptionContainer").first


def picture(page):
    return page.get_by_test_id("stPlotlyChart").first


def turn_to(page, view, says):
    """Turn to a view and read its heading."""
    press(page, view)
    expect(heading(page)).to_contain_text(says)


@pytest.fixture
def typed(page):
    page.goto(TYPED)
    idle(page)
    return page


def test_a_newcomer_reads_why_42_and_43(typed):
    expect(heading(typed)).to_contain_text("the zero point falls on a tie")
    expect(caption(typed)).to_contain_text("both get 42.5; the first makes it 42 (half to even)")
    expect(caption(typed)).to_contain_text("the second makes it 43 (half away from zero)")
    words = picture(typed).locator(".annotation-text")
    expect(words.filter(has_text=re.compile("^torch Affine uint8$"))).to_have_count(1)
    for text in ("codes differ", "values differ", "at most"):
        expect(words.filter(has_text=re.compile(f"^{text}$"))).to_have_count(1)


def test_no_words_of_the_picture_touch(typed):
    """Each line's words stand clear of each other."""
    expect(picture(typed).locator(".annotation-text").first).to_be_visible()
    boxes = picture(typed).locator(".annotation-text").evaluate_all(BOXES)
    assert len(boxes) > 60
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] + 1 or b[3] <= a[1] + 1
            assert apart, (a, b)


def test_another_rule_and_every_view(typed):
    choose(typed, "Second rule", "ORT Affine uint8")
    expect(caption(typed)).to_contain_text("part at the quotient")
    turn_to(typed, "Conventions", "conventions can say this quantizer")
    expect(typed.get_by_test_id("stCode").first).to_contain_text('"offset": [-42]')
    turn_to(typed, "Fragility", "next to a code boundary flip with")
    with typed.expect_download() as loading:
        click_button(typed, "Probe of all rules")
    assert loading.value.suggested_filename == "probe_all.npy"
    turn_to(typed, "Which rule?", "TF fake_quant")
    turn_to(typed, "Documentation", "documented formulas differ")


def test_a_phone_gets_the_table(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(TYPED)
    idle(page)
    expect(page.locator(".st-key-narrow-rosetta")).to_be_visible()
    expect(page.locator(".st-key-wide-rosetta")).to_be_hidden()
    expect(heading(page)).to_contain_text(f"{sum(r.kind == 'framework' for r in rules())} rules")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for name in ("Picture", "Conventions", "Fragility", "Which rule?", "Documentation"):
        box = page.get_by_role("radio", name=name, exact=True).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
