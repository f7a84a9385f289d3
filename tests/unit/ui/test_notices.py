"""Words that came with a file, in places where Markdown is read."""

import re

import pytest

from qviz.ui.notices import escape_controls, plain

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
