"""The dictionary of terms holds what is asked for, in whole sentences."""

import re

import pytest

from qviz.ui.words import TERMS, term
from tests.browser.serving import ROOT

USED = sorted(
    {
        name
        for file in (ROOT / "qviz" / "ui").rglob("*.py")
        for name in re.findall(r'\bterm\("(\w+)"\)', file.read_text())
    }
)


@pytest.mark.parametrize("name", USED)
def test_every_term_that_is_used_is_explained(name):
    assert term(name)


@pytest.mark.parametrize("name", TERMS)
def test_sentences(name):
    text = TERMS[name]
    assert text.endswith((".", "?")) and len(text) <= 120
    assert text[0].isupper() or text[0].isdigit() or text.startswith("exact:")
