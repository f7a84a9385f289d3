"""Names above the strip: inside the plot, and never over each other."""

import itertools

import pytest

from qviz.figures.fake_quant_labels import PLOT, SPACE, placed
from qviz.figures.labels import CHARACTER


def spans(names, wanted):
    centres = [share * PLOT for share in placed(names, wanted)]
    half = [CHARACTER * len(name) / 2 for name in names]
    return sorted((c - h, c + h) for c, h in zip(centres, half, strict=True))


@pytest.mark.parametrize(
    "wanted", [(0.5, 0.5, 0.5), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.9, 0.1, 0.5)]
)
def test_names_do_not_touch_and_stay_inside(wanted):
    found = spans(("to x", "to zero_point", "to scale ÷ 5"), wanted)
    assert found[0][0] >= -1e-9
    assert found[-1][1] <= PLOT + 1e-9
    assert all(b[0] - a[1] >= SPACE - 1e-9 for a, b in itertools.pairwise(found))


def test_names_with_room_stand_where_they_are_wanted():
    assert placed(("to x", "to max"), (0.3, 0.8)) == pytest.approx([0.3, 0.8])
