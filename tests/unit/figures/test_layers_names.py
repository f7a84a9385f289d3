"""Names stay apart, whatever is left out of them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qviz.figures.layers_names import CUT, called_among, lines, told_apart

LAYERS = [f"encoder.layer.{at}.output.dense.weight" for at in range(12)]
MIXED = ["embeddings.word_embeddings.weight", *LAYERS]


def labels(names, most):
    return list(told_apart(names, most).labels.values())


def test_names_that_fit_stay_whole():
    found = told_apart(["conv1", "relu"], 8)
    assert dict(found.labels) == {"conv1": "conv1", "relu": "relu"} and not found.words


def test_a_common_start_and_end_are_said_once():
    found = told_apart(LAYERS, 14)
    assert list(found.labels.values()) == [f"{at}.output.dense" for at in range(12)]
    assert found.words == "Names without “encoder.layer.” and “.weight”"
    longer = told_apart(LAYERS, 24)  # room for the end
    assert longer.labels[LAYERS[3]] == "3.output.dense.weight"
    assert longer.words == "Names without “encoder.layer.”"


def test_a_start_that_most_share_is_marked():
    found = told_apart(MIXED, 24)
    assert found.labels[LAYERS[11]] == "…11.output.dense"
    assert found.words == ("Names without “.weight”; … at the start of a name is “encoder.layer.”")
    whole = told_apart([*LAYERS, "pooler"], 24)
    assert whole.labels[LAYERS[11]] == "…11.output.dense.weight"
    assert whole.words == "… at the start of a name is “encoder.layer.”"


def test_a_start_that_few_share_is_kept():
    names = [f"conv{at}" for at in range(30)] + ["pool.GlobalAveragePool.1", "pool.GlobalAv.2"]
    found = told_apart(names, 12)
    assert not found.words and found.labels[names[30]].startswith("pool.G")


def test_the_cut_moves_to_where_names_are_the_same():
    names = [f"{at}a_rather_long_name_with_tail" for at in range(9)]
    assert labels(names, 11) == [f"{at}a_ra…_tail" for at in range(9)]
    middle = [f"start_of_it_{at}_end_of_all_names" for at in range(3)]
    made = labels(middle, 12)  # only in the middle do they differ: longer than asked for
    assert len(set(made)) == 3 and all(str(at) in made[at] for at in range(3))


def test_no_other_name_begins_and_ends_as_a_label_does():
    names = [f"block{a}_conv{b}_branch_{c}_weight_of_it" for a in "123" for b in "12" for c in "ab"]
    for label in labels(names, 16):
        head, cut, tail = label.partition(CUT)
        assert cut and [n.startswith(head) and n.endswith(tail) for n in names].count(True) == 1


@given(
    st.lists(st.text("ab./… \n1", max_size=24), max_size=12, unique=True),
    st.integers(4, 20),
)
def test_distinct_names_stay_distinct(names, most):
    made = labels(names, most)
    assert len(made) == len(names) and not [x for x, n in Counter(made).items() if n > 1]
    assert all(made) and all(label.isprintable() for label in made)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (LAYERS[7], "…7.output.dense.weight"),
        ("relu", "relu"),
        ("x" * 40, "x" * 12 + "…" + "x" * 11),
    ],
)
def test_one_name_among_others(name, said):
    assert called_among(name, [*LAYERS, "relu"], 24) == said


def test_a_long_label_breaks_where_a_part_ends():
    assert lines("0.output.dense", 20) == ["0.output.dense"]
    assert lines("0.attention.output.dense", 20) == ["0.attention.", "output.dense"]
    assert lines("x" * 30, 20) == ["x" * 15, "x" * 15]
