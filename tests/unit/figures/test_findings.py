import numpy as np
import pytest

from qviz.figures.findings import finding
from tests.unit.figures.small import compared

# Two-bit codes 0 to 3. Step 1 keeps 0 to 3 as they are and cuts 30 to 3: sum e^2 = 729.
# Step 10 keeps 30 and makes 0 of all others: sum e^2 = 14 a quartet.
QUARTET = [0, 1, 2, 3]


def heading(values, *spellings, pinned=(), **spec):
    return finding(compared(values, *spellings, **spec), pinned=pinned).heading


def test_the_best_range_is_told_against_minmax():
    # 10 log10(14000 / 729); clipped energy 729 / 14900 is 4.9 %
    values = QUARTET * 1000 + [30]
    assert heading(values, "minmax", "typed") == "Typed keeps [0, 3] and gains 12.8 dB over MinMax"


def test_a_gain_bought_by_clipping_is_called_so():
    # 10 log10(12600 / 729); clipped energy 729 / 13500
    values = QUARTET * 900 + [30]
    text = heading(values, "minmax", "typed")
    assert text == "Typed gains 12.4 dB, but by clipping 5.4 % of the energy"


def test_observers_that_agree_leave_minmax():
    values = np.linspace(0, 1, 50)
    assert heading(values, "minmax", "moving_average") == (
        "Both observers agree within 0.1 dB: keep MinMax"
    )
    three = heading(values, "minmax", "moving_average", "typed:hi=1.0")
    assert three == "All 3 observers agree within 0.1 dB: keep MinMax"


def test_minmax_is_kept_where_nothing_gains():
    values = np.linspace(0, 3.1, 50)
    text = heading(values, "typed:hi=1.0", "minmax", "typed:hi=9.0")
    assert text == "Keep MinMax: none of the other 2 gains more than 0.1 dB"
    assert heading(values, "typed:hi=1.0", "minmax") == (
        "Keep MinMax: the other does not gain more than 0.1 dB"
    )


def test_minmax_wins_a_tie_it_loses_by_a_hair():
    values = np.linspace(0, 3, 301)
    close = compared(values, "typed:hi=2.995", "minmax", "typed:hi=0.5")
    ahead = [row.totals.ee[0] for row in close.rows]
    assert ahead[0] != ahead[1]
    assert finding(close).heading.startswith("Keep MinMax: none of the other 2")


def test_without_minmax_the_lowest_error_is_named():
    text = heading(QUARTET * 1000 + [30], "typed", "typed:hi=9.0")
    assert text == "Typed keeps [0, 3]: 13.1 dB, the lowest error of 2"


def test_one_row_is_stated():
    assert heading(QUARTET * 1000 + [30], "typed") == "Typed keeps [0, 3]: 13.1 dB SQNR"


def test_exact_reconstruction():
    assert heading(QUARTET, "typed", "minmax") == (
        "Every value is a level of MinMax: nothing is lost"
    )
    # a third of [0, 2] is no level at 1
    assert heading([0, 1, 2], "minmax", "typed") == (
        "Every value is a level of Typed: nothing is lost"
    )


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (np.full(4096, 2.0), "All 4,096 values are 2"),
        (np.zeros(10), "All 10 values are 0: nothing is lost"),
        ([7.0], "The only value is 7"),
        ([5.0, np.nan, 5.0], "All 2 finite values are 5"),
        ([np.nan, np.inf], "All 2 values are NaN or infinite: there is no range to keep"),
        ([], "This tensor has no values"),
    ],
    ids=["constant", "zeros", "one", "constant and NaN", "not finite", "empty"],
)
def test_tensors_without_a_choice(values, text):
    assert heading(values, "minmax", "typed") == text


def test_refusals():
    values = [1.0, 2.0]
    assert heading(values, "shy") == "No observer can serve here: per channel only"
    assert heading(values) == "No observer is listed"
    pinned = heading(values, "minmax", "shy", pinned=["shy"])
    assert pinned == "Shy cannot serve here: per channel only"


def test_one_pinned_row_is_told_against_the_best():
    values = QUARTET * 1000 + [30]
    worse = heading(values, "minmax", "typed", pinned=["minmax"])
    assert worse == "MinMax keeps [0, 30]: 0.3 dB, 12.8 dB below Typed"
    best = heading(values, "minmax", "typed", pinned=["typed"])
    assert best == "Typed keeps [0, 3]: 13.1 dB, within 0.1 dB of the lowest error"
    exact = heading(QUARTET, "minmax", "typed:hi=3.3", pinned=["typed:hi=3.3"])
    assert exact.endswith("dB, while MinMax loses nothing")
    lossless = heading(QUARTET, "minmax", pinned=["minmax"])
    assert lossless == "MinMax keeps [0, 3]: every value is a level, nothing is lost"


def test_two_pinned_rows_are_told_against_each_other():
    values = QUARTET * 1000 + [30]
    both = ["typed", "minmax"]
    assert heading(values, *both, pinned=both) == "Typed gains 12.8 dB over MinMax"
    assert heading(values, *both, pinned=both[::-1]) == "MinMax loses 12.8 dB against Typed"
    alike = ["minmax", "moving_average"]
    assert heading(values, *alike, pinned=alike) == (
        "MinMax and Moving average agree within 0.1 dB"
    )
    exact = heading(QUARTET, "minmax", "typed:hi=3.3", pinned=["minmax", "typed:hi=3.3"])
    assert exact.startswith("MinMax: exact; Typed hi 3.3: ")


def test_unknown_pins_are_passed_over():
    values = QUARTET * 1000 + [30]
    assert heading(values, "typed", pinned=["gone"]) == "Typed keeps [0, 3]: 13.1 dB SQNR"


def test_headings_stay_short():
    long = "shy " + "x" * 200
    assert len(heading([1.0], "shy", pinned=[long])) <= 90


def test_several_groups_are_counted_instead_of_listed():
    made = finding(compared([QUARTET * 1000 + [30]] * 3, "minmax", granularity="per_channel:0"))
    assert made.heading == "MinMax keeps 3 ranges: 0.3 dB SQNR"
    assert "per channel 0" in made.caption
