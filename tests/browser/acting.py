"""What a person does on a page of the app; every act waits until the page is at rest.

Streamlit draws a page anew after each act. What is clicked or typed while that goes on may be
meant for a control that is about to be replaced, and is lost then.
"""

from tests.browser.serving import idle


def press(page, name):
    """A button of a segmented control."""
    idle(page)
    page.get_by_role("radio", name=name, exact=True).click()


def click_button(page, name):
    """A button, by its whole name."""
    idle(page)
    page.get_by_role("button", name=name, exact=True).click()


def type_in(page, label, value):
    """A value into a number's box, and Enter."""
    idle(page)
    box = page.get_by_role("spinbutton", name=label, exact=True)
    box.fill(value)
    box.press("Enter")


def bring(page, file):
    """Upload a file in the sidebar; its popover stays open."""
    click_button(page, "Open a file")
    page.get_by_test_id("stFileUploaderDropzoneInput").last.set_input_files(file)


def choose(page, label, option):
    """An entry of a select box, by its whole text."""
    idle(page)
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
