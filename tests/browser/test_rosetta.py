"""The Rosetta page as a person meets it."""

import re

import pytest
from playwright.sync_api import expect

from qviz.rosetta import rules
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


def press(page, name):
    page.get_by_role("radio", name=name, exact=True).click()


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
    typed.get_by_role("combobox", name="Second rule").click()
    typed.get_by_role("option", name="ORT Affine uint8", exact=True).click()
    expect(caption(typed)).to_contain_text("part at the quotient")
    press(typed, "Conventions")
    expect(heading(typed)).to_contain_text("conventions can say this quantizer")
    expect(typed.get_by_test_id("stCode").first).to_contain_text('"offset": [-42]')
    press(typed, "Fragility")
    expect(heading(typed)).to_contain_text("next to a code boundary flip with")
    with typed.expect_download() as loading:
        typed.get_by_role("button", name="Probe of all rules").click()
    assert loading.value.suggested_filename == "probe_all.npy"
    press(typed, "Which rule?")
    expect(heading(typed)).to_contain_text("TF fake_quant")
    press(typed, "Documentation")
    expect(heading(typed)).to_contain_text("documented formulas differ")


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
