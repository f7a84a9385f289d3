"""What is chosen in the sidebar goes along from page to page."""

import pytest

from tests.app.reading import PAGES, chosen, well

LINK = {"tensor": "teaching::laplace", "bits": "4", "signed": "true", "mode": "power_of_two"}


@pytest.mark.parametrize("script", PAGES, ids=lambda script: script.stem)
def test_tensor_and_codes_go_along(open_app, script):
    at = open_app(**LINK)
    for _ in range(2):  # there, and with a second run on the same page
        at = well(at.switch_page(f"pages/{script.name}").run())
        assert chosen(at) == "teaching::laplace"
        assert at.segmented_control(key="bits").value == 4
        assert at.toggle(key="signed").value is True
        assert at.selectbox(key="mode").value == "power_of_two"


def test_highlights_are_still_there_on_return(open_app):
    at = open_app(tensor="teaching::laplace")
    at = well(at.switch_page("pages/1_Observers.py").run())
    well(at.multiselect(key="show").set_value(["absmax", "sigma"]).run())
    at = well(at.switch_page("pages/2_Grid.py").run())
    assert any("the range of" in caption.value for caption in at.main.caption)
    at = well(at.run())
    at = well(at.switch_page("pages/1_Observers.py").run())
    assert at.multiselect(key="show").value == ["absmax", "sigma"]
