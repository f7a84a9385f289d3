"""Words that came with a file, in places where Markdown is read."""

import re

import pandas as pd
import pytest

from qviz.ui.notices import escape_controls, plain, table_text

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '<a href="https://example.invalid">w</a>',
    "[a](http://x)",
    "![a](http://x/y.png)",
    "$\\href{javascript:1}{x}$",
    "`code` **bold** _it_ ~~gone~~",
    ":material/delete: :red[x] :smile:",
    "| a | b |",
    "# head",
    "&lt;b&gt;",
    "HTTPS://example.invalid/x?y=1",
    "www.example.invalid",
    "WWW.example.invalid",
    "me@example.invalid",
    "\\<img\\>",
]
JOINER = "\u2060"


def shown(markdown):
    """What a reader sees: escapes taken off, joiners without width."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace(JOINER, "")


@pytest.mark.parametrize("text", HOSTILE)
def test_every_sign_is_shown_as_it_stands(text):
    assert shown(plain(text)) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_is_read_as_markup(text):
    bare = re.sub(r"\\.", "", plain(text))  # what is left when escaped signs are gone
    assert not set(bare) & set("<>[]`*_~|#$:&")
    assert not re.search(r"https?://|www\.|\w@\w", re.sub(r"\\(.)", r"\1", plain(text)), re.I)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a_b", r"a\_b"),
        ("[−6.03, 5.28]", r"\[−6.03, 5.28\]"),
        ("- item", r"\- item"),
        ("+ item", r"\+ item"),
        ("12. item", r"12\. item"),
        ("12) item", r"12\) item"),
        ("a - b, 1. c", "a - b, 1. c"),
        ("http://x", "http\\:/\u2060/x"),
        ("a@b", "a\u2060@b"),
        ("www.x", "www\u2060.x"),
        ("plain words 4.2 dB", "plain words 4.2 dB"),
    ],
)
def test_markdown(text, markdown):
    assert plain(text) == markdown


def test_signs_that_show_nothing_go():
    assert escape_controls("a\u202eb\nc\x00\td\u200be\ufeff") == "abcde"
    assert plain("x\u202egnp.exe") == "xgnp.exe"
    assert escape_controls("Größe 日本 − ≈ 🙂") == "Größe 日本 − ≈ 🙂"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=1", "'=1"),
        ("\r=1", "'=1"),
        (" \u200b=1", "'=1"),
        ("\uff1d1", "'\uff1d1"),
        ("conv1.weight", "conv1.weight"),
        ("a=1", "a=1"),
        ("\u22121.5 dB", "\u22121.5 dB"),  # a minus sign of the page, no hyphen
        ("'=1", "'=1"),
        ("", ""),
    ],
)
def test_a_cell_is_no_formula(text, cell):
    assert table_text(text) == cell


def test_a_cell_is_short_and_numbers_stay_numbers_in_a_saved_table():
    assert len(table_text("a" * 10_000)) < 100
    frame = pd.DataFrame({"tensor": [table_text("=1+1")], "value": [-1.5]})
    assert frame.to_csv(index=False) == "tensor,value\n'=1+1,-1.5\n"
