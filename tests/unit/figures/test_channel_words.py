import numpy as np
import pytest

from qviz.figures.channel_words import Words, heading, listed, measured
from tests.unit.figures.channel_maps import mapped, tensor

CHANNELS = Words()


def headed(x, axis=1, threshold=20.0, words=CHANNELS, **settings):
    found = mapped(x, axis, **settings)
    return heading(found, found.own, threshold, words)


def test_the_loud_channel_and_the_damage():
    assert headed(tensor()) == (
        "Channel 7 sets the step: 63 of 64 channels fall below 20 dB; per channel, none does"
    )
    x = tensor()
    x[:, 11] *= 50
    assert headed(x).startswith("Channels 7 and 11 set the step: 62 of 64")


def test_a_loud_channel_that_is_clipped_sets_no_step():
    text = headed(tensor(), rule="percentile:keep=99")
    assert text.startswith("Channel 7 is clipped: 1 of 64 channels falls below 20 dB")


def test_what_tokens_would_do():
    found, token = mapped(tensor()), mapped(tensor(), granularity="per_token")
    text = heading(found, token.shared, 17, Words(instead="per token"))
    hurt = int((token.shared.sqnr < 17).sum())
    assert 0 < hurt < 63 and text.endswith(f"fall below 17 dB; per token, {hurt} still do")
    assert heading(token, token.own, 20, Words(shared="per token")).startswith(
        "Channel 7 sets the steps"
    )


def test_filters_that_are_lost():
    w = np.random.default_rng(0).standard_normal((32, 9)) * np.logspace(-3, 0, 32)[:, None]
    assert headed(w, 0, 10).startswith("Channels 30 and 31 set the step: 15 of 32")
    w[:] = np.random.default_rng(1).standard_normal((32, 9))
    w[3] /= 500
    assert headed(w, 0) == "Channel 3 falls below 20 dB; per channel, none does"
    words = measured(mapped(w, 0), CHANNELS)
    assert words.startswith("Channel 3 reaches only 0.00") and "the median channel" in words


def test_channels_that_are_alike():
    x = np.sin(np.arange(64 * 50)).reshape(64, 50)
    assert headed(x, 0).startswith("Channels are alike: per channel gains 0.")
    assert headed(x, 0, words=Words("group", instead="per group")).startswith("Groups are alike")


def test_no_damage_but_a_gain():
    x = np.random.default_rng(0).standard_normal((8, 50)) * np.linspace(0.5, 1.5, 8)[:, None]
    text = headed(x, 0, words=Words(note=" (for analysis)"))
    assert text.startswith("No channel falls below 20 dB; per channel gains")
    assert text.endswith("dB (for analysis)")


def test_zeros_and_levels():
    assert headed(np.zeros((3, 3))) == "Every channel is dead: there is nothing but 0"
    assert measured(mapped(np.zeros((3, 3))), CHANNELS) == ""
    assert headed(np.array([[127.0, 1], [2, -3]]), 0).startswith("Every channel comes back exactly")
    assert headed(tensor(), threshold=50).endswith("; per channel, as many do")


def test_the_overall_number_and_what_it_hides():
    words = measured(mapped(tensor()), CHANNELS)
    assert words == (
        "Channel 7 reaches 170, 59 times the median channel. Overall 25.8 dB per tensor hides "
        "this: the other 63 get 8.2 dB and use 7 codes."
    )
    cut = measured(mapped(tensor(), rule="percentile:keep=99"), CHANNELS)
    assert "Overall 3.6 dB per tensor is what the loud lose: the other 63 get 24.0 dB" in cut
    x = tensor()
    x[:, 5] = 0
    assert "1 channel is dead." in measured(mapped(x), CHANNELS)


@pytest.mark.parametrize(
    ("count", "text"), [(2, "0, 1"), (8, "0, 1, 2, 3, 4, 5, 6, 7"), (10, "5, 6, 7 and 2 more")]
)
def test_lists(count, text):
    assert listed(np.arange(count)).endswith(text)
    assert listed(np.array([3]), np.array([0, 0, 0, 12.34])) == "3 (12.3 dB)"
