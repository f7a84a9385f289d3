"""Pairs that cannot be compared: why, in whole sentences, and what to do."""

from qviz.models.pairs import Pair, Pairs
from qviz.ui.layers.pairs import WAY_OUT, _way_out, _whole

KEPT = "The values of relu were not kept."


def test_pairs_without_values_tell_the_way_out():
    lost = Pair("relu", "relu", "activation", (4,), note=f"{KEPT} a.npz holds its statistics only.")
    known = Pair("w", "w", "weight", (4,), sqnr=30.0)
    assert _way_out(Pairs((known, lost), (), ())) == WAY_OUT and "--values" in WAY_OUT
    assert _way_out(Pairs((known,), (), ())) == ""


def test_a_long_reason_ends_with_a_sentence():
    more = "a.npz holds its statistics only. Capture the model again with --values, or open it."
    assert _whole(f"{KEPT} {more}") == f"{KEPT} a.npz holds its statistics only."
    assert _whole(KEPT) == KEPT
    assert _whole(f"{'x' * 90}. b.") == f"{'x' * 90}."
