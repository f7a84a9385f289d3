import pytest

from qviz.ui.linking import nearest, one_of, span


def test_one_of_a_few_values():
    read = one_of(0, 1, 12)
    assert [read(text) for text in ("0", "12", "2", "", "1.0")] == [0, 12, None, None, None]


@pytest.mark.parametrize(
    ("text", "found"),
    [("3-40", (3, 40)), ("1-1", (1, 1)), ("40-3", None), ("0-3", None), ("3-101", None)]
    + [(text, None) for text in ("", "-", "3", "a-b", "3-4-5", "-3-4", "9" * 5000 + "-9")],
)
def test_a_span_of_ranks(text, found):
    assert span(100)(text) == found


def test_the_stop_that_is_nearest():
    read = nearest([0.5, 1.0, 4.0])
    assert [read(text) for text in ("0.6", "2.4", "1e9")] == [0.5, 1.0, 4.0]
    assert {read(text) for text in ("nan", "inf", "-1", "0", "x", "")} == {None}
