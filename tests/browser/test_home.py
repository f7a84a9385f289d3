"""Home as a person meets it."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.acting import press
from tests.browser.serving import idle

expect.set_options(timeout=20_000)


@pytest.fixture
def home(page):
    page.goto("/")
    idle(page)
    return page


def heading(page):
    return page.locator("h3").first


def test_the_finding_and_its_picture_stand_there(home):
    expect(heading(home)).to_have_text("25.8 dB looks fine, yet 63 of 64 channels share 7 codes")
    expect(home.get_by_test_id("stPlotlyChart")).to_have_count(2)
    press(home, "Moved factor")
    expect(heading(home)).to_contain_text("the output gains 7.7 dB")
    idle(home)


def test_the_reasons_are_one_click_away(home):
    home.get_by_role("link", name="Why do they differ?").click()
    expect(home).to_have_url(re.compile("/Rosetta"))
    expect(heading(home)).to_contain_text("[−0.5, 2.5]")
    idle(home)


def test_a_dropped_file_becomes_the_tensor(home, tmp_path):
    file = tmp_path / "mine.npy"
    np.save(file, np.linspace(-1, 3, 10_001, dtype=np.float32))
    inputs = home.get_by_test_id("stMain").get_by_test_id("stFileUploaderDropzoneInput")
    inputs.set_input_files(file)
    expect(heading(home)).to_contain_text("Well behaved")
    idle(home)
