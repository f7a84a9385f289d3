"""Text for terminals."""

import pytest

from qviz.cli.text import label, number, plain, table


@pytest.mark.parametrize(
    ("value", "rough", "text"),
    [
        (0.288675, False, "0.2887"),
        (0.288675, True, "≈0.2887"),
        (-123456.0, False, "-1.235e+05"),
        (255, False, "255"),
        (0.0, False, "0"),
        (None, True, "-"),
        (float("nan"), False, "-"),
        (float("inf"), False, "-"),
    ],
)
def test_number(value, rough, text):
    assert number(value, rough) == text


def test_table_aligns_names_left_and_numbers_right():
    text = table(("name", "value"), [("a", "1"), ("longer", "12.5")])
    assert text.splitlines() == ["name    value", "a           1", "longer   12.5"]


def test_table_without_rows_is_its_headings():
    assert table(("name", "value"), []) == "name  value"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines  and\ttabs", "two lines and tabs"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("right\u202eleft", "right\\u202eleft"),
        ("lone \ud800 half", "lone \\ud800 half"),
        ("Gewicht ≈ größer", "Gewicht ≈ größer"),
    ],
)
def test_plain_leaves_nothing_for_a_terminal_to_obey(text, shown):
    assert plain(text) == shown


def test_a_name_is_shortened_in_the_middle_and_never_empty():
    assert label("a" * 50 + "b" * 50) == "a" * 40 + "…" + "b" * 39
    assert label("a\x00") == "a\\x00"
    assert label("") == label(" ") == "(no name)"
