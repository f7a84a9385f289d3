import numpy as np

from qviz.doctor.words import counted, decibels, floats, indices, interval, named, percent, times


def test_numbers_and_shares():
    assert interval(-1, 2.25) == "[-1, 2.25]"
    assert [percent(s) for s in (0, 0.5, 0.099, 0.0002)] == ["0 %", "50 %", "9.9 %", "0.02 %"]
    assert (percent(0.9999), percent(1)) == ("over 99 %", "100 %")
    assert (decibels(4.06), decibels(-1e-15), decibels(None)) == (
        *("4.1 dB", "0.0 dB", "no number of dB"),
    )


def test_channels_are_listed_but_not_all():
    assert named([7]) == "channel 7" and named([1, 2]) == "channels 1, 2"
    assert named(range(10)) == "channels 0, 1, 2, 3 and 6 more"
    assert (counted(1, "code"), counted(2000, "code")) == ("1 code", "2,000 codes")
    assert len(indices(np.ones(100, bool))) == len(floats(np.ones(100))) == 64


def test_times_are_plain_digits():
    assert [times(v) for v in (2.806, 99.96, 1234.5)] == ["2.81", "100", "1,230"]
    assert [times(v) for v in (9.997e8, 3.2e15)] == ["1,000,000,000", "over 10^15"]
    assert times(np.inf) == "endlessly many"
