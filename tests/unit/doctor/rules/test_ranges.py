"""What rules about ranges say of a case: the cause, its numbers, and nothing of ordinary data."""

import numpy as np
import pytest

from qviz.doctor import Case, Given, examined
from qviz.spec import QuantSpec
from qviz.stats.base import Seen
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)


def rng(seed=0):
    return np.random.default_rng(seed)


def rules(case):
    return {finding.rule: finding for finding in examined(case).findings}


def of(case, rule):
    return rules(case).get(rule)


def affine(x, low, high, zero=None):
    """Fake-quantized as uint8 over [low, high]."""
    step = (high - low) / 255
    zero = np.rint(-low / step) if zero is None else zero
    return (np.clip(np.rint(x / step) + zero, 0, 255) - zero) * step


@pytest.mark.parametrize("role", ["weight", "unknown"])
def test_short_vectors_of_parameters_stay_wide(role):
    found = of(Case.of(rng().uniform(0.9, 1.1, 64), role=role), "RANGE-FAR-FROM-ZERO")
    assert found.expected and found.fixes == () and "64 elements stays wide" in found.message


@pytest.mark.parametrize("shape", [(4096,), (1, 768), (1, 64, 1, 1), (1025,)])
@pytest.mark.parametrize("role", ["weight", "bias", "unknown"])
def test_weights_of_a_normalization_stay_wide_however_long(role, shape):
    made = Case.of(1 + 0.02 * rng().standard_normal(shape), role=role)
    found = of(made, "RANGE-FAR-FROM-ZERO")
    assert found.expected and found.fixes == () and "stays wide" in found.message


@pytest.mark.parametrize(
    "case",
    [
        Case.of(rng().uniform(0.9, 1.1, 64), role="activation"),
        Case.of(rng().uniform(90, 110, 1025)),  # of no normalization
        Case.of(rng().uniform(0.9, 1.1, (8, 8))),
        Case.of([rng().uniform(0.9, 1.1, 64), rng(1).uniform(0.9, 1.1, 64)]),
    ],
)
def test_all_others_do_not(case):
    assert of(case, "RANGE-FAR-FROM-ZERO").severity == "high"


@pytest.mark.parametrize("role", ["unknown", "activation", "weight"])
def test_what_is_said_of_the_mean_is_what_was_computed(role):
    x = rng().normal(-50, 1, (37, 53)) + np.linspace(0, 4, 53)
    made = Case.of(x, QuantSpec(8), role=role)
    found = of(made, "RANGE-FAR-FROM-ZERO")
    each = role == "activation"
    (fix,) = found.analysis if role == "weight" else found.fixes
    assert ("mean of each channel" in fix.action) == each
    assert ("if this is an activation" in fix.action) == (role == "unknown")
    assert ("bias" in fix.action) == (role != "weight")
    mean = x.mean(axis=0) if each else x.mean()
    centred = x - mean
    step = (centred.max() - centred.min()) / 255
    zero = np.rint(-centred.min() / step)
    back = (np.clip(np.rint(centred / step) + zero, 0, 255) - zero) * step + mean
    gain = sqnr(x, back) - found.evidence["sqnr"]
    assert fix.gain_db == pytest.approx(gain, abs=0.02)


def test_a_window_that_lies_elsewhere_is_no_matter_of_codes():
    x = 100 + rng().standard_normal(3000)
    found = rules(Case.of(x, mode="tf.fake_quant"))
    assert "NUDGE-MOVED-WINDOW" in found and "RANGE-FAR-FROM-ZERO" not in found
    assert of(Case.of(x, observer="manual:lo=0,hi=10"), "RANGE-FAR-FROM-ZERO") is None
    assert of(Case.of(x, observer="percentile:keep=99"), "RANGE-FAR-FROM-ZERO") is not None


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("signed", [False, True])
def test_a_band_beside_0_leaves_codes_unused_as_expected(sign, signed):
    x = sign * np.linspace(3, 10, 1000)
    found = of(Case.of(x, QuantSpec(8, signed=signed)), "RANGE-FAR-FROM-ZERO")
    assert found.expected and found.evidence["unused"] == round(3 / (10 / 255)) == 76
    assert "76 codes of 256" in found.message and "widened to hold 0" in found.message


@pytest.mark.parametrize(
    "case",
    [
        Case.of(np.linspace(0.4, 10, 1000)),
        Case.of(np.abs(rng().standard_normal(10_000))),
        Case.of(np.linspace(3, 10, 1000), mode="tf.fake_quant"),
        Case.of(np.linspace(3, 10, 1000), INT8),
    ],
)
def test_few_unused_codes_moved_windows_and_symmetric_codes_are_no_such_band(case):
    assert of(case, "RANGE-FAR-FROM-ZERO") is None


def test_symmetric_codes_mirror_the_range():
    found = of(Case.of(np.linspace(-1, 0.2, 1000), INT8), "HALF-UNUSED")
    step = 1 / 127  # codes reach from -128 to 127 steps
    assert found.expected and found.evidence["unused"] == int((1 - 0.2) / step)
    assert found.evidence["beyond"] == pytest.approx(0.8 / 1.2, rel=1e-6)
    assert found.fixes[0].how["symmetric"] is False
    half = of(Case.of(np.linspace(-1, 0, 1000), INT8), "HALF-UNUSED")
    assert "No value lies above 0" in half.message


@pytest.mark.parametrize(
    "case",
    [
        Case.of(np.linspace(-1, 0.4, 1000), INT8),
        Case.of(rng().standard_normal(10_000), INT8),
        Case.of(np.linspace(-1, 1, 1000), INT8, mode="power_of_two"),
        Case.of(np.linspace(-1, 0.2, 1000)),
    ],
)
def test_nothing_is_mirrored_far_beyond_the_data(case):
    assert of(case, "HALF-UNUSED") is None


def test_a_symmetric_flag_beside_an_offset_comes_before_what_it_causes():
    x = rng().standard_normal(10_000)
    made = examined(Case.of(x, INT8, given=Given.of(4 / 127, -127, (-127, 127))))
    names = [finding.rule for finding in made.findings]
    assert "SYMMETRIC-WITH-OFFSET" in names[:2]
    assert not {"ZP-AT-EDGE", "SATURATED-CODES"} & set(names)
    found = rules(Case.of(x, INT8, given=Given.of(4 / 127, -127, (-127, 127))))
    assert found["SYMMETRIC-WITH-OFFSET"].severity == "high"
    assert found["ERROR-YARDSTICK"].severity == "note"
    assert found["ERROR-YARDSTICK"].evidence["cause"] == "SYMMETRIC-WITH-OFFSET"


def test_the_same_zero_point_without_the_flag_is_told_as_before():
    x = rng().standard_normal(10_000)
    spec = QuantSpec(8, signed=True)
    found = rules(Case.of(x, spec, given=Given.of(4 / 127, -127, (-127, 127))))
    assert "SYMMETRIC-WITH-OFFSET" not in found
    assert "ZP-AT-EDGE" in found and "SATURATED-CODES" in found


def test_the_yardstick_names_the_cause_and_repeats_none_of_its_fixes():
    x = rng().standard_normal(10_000)
    found = rules(Case.of(x, observer="manual:lo=-4,hi=0"))
    assert found["ERROR-YARDSTICK"].fixes == () and not found["ERROR-YARDSTICK"].expected
    assert found["ERROR-YARDSTICK"].message.endswith("ZP-AT-EDGE says why.")
    alone = rules(Case.of(x, observer="manual:lo=-1.93,hi=2"))["ERROR-YARDSTICK"]
    assert alone.severity == "medium" and alone.fixes and "cause" not in alone.evidence


def test_the_last_code_alone_is_a_convention():
    x = np.linspace(-1, 1, 1001)
    found = of(Case.of(x, INT8, mode="power_of_two"), "POW2-WASTE")
    assert found.severity == "note" and "keeps a code free" in found.message
    wide = of(Case.of(1.02 * x, INT8, mode="power_of_two"), "POW2-WASTE")
    assert wide.severity == "medium" and "keeps a code free" not in wide.message


def test_scales_at_the_floor_of_zeros_alone_lose_nothing():
    zeros = np.zeros((4, 64), np.float32)
    along = {"mode": "torch.affine", "granularity": "per_channel:0"}
    found = of(Case.of(zeros, INT8, **along), "SCALE-FLOOR")
    assert found.expected and "nothing is lost" in found.message
    zeros[1, 0] = 1e-9
    found = of(Case.of(zeros, INT8, **along), "SCALE-FLOOR")
    assert not found.expected and "few codes are left" in found.message


def test_the_midpoint_is_fine_only_where_nothing_is_lost():
    x = rng().standard_normal(10_000)

    def made(high):
        spec = QuantSpec(8, symmetric=True, quant_min=0, quant_max=high)
        return of(Case.of(x, spec), "SYMMETRIC-UNSIGNED-MIDPOINT")

    assert "no loss by itself" in made(254).message and "by a step." in made(254).message
    found = made(126)
    assert found.severity == "medium" and "no loss" not in found.message
    assert f"costs {found.fixes[0].gain_db:.1f} dB" in found.message
    assert "by 65 steps." in found.message


def test_going_symmetric_is_told_with_both_numbers():
    x = np.abs(rng().standard_normal(10_000))
    found = of(Case.of(x, mode="nvidia.amax"), "TARGET-SYMMETRIC-ONLY")
    before = sqnr(x, affine(x, 0.0, x.max()))
    step = x.max() / 127
    after = sqnr(x, np.rint(x / step) * step)
    assert found.evidence["sqnr"] == pytest.approx(before, abs=0.01)
    assert found.evidence["sqnr_symmetric"] == pytest.approx(after, abs=0.01)
    said = f"turns {before:.1f} dB into {after:.1f} dB, {before - after:.1f} dB less."
    assert found.message.endswith(said)


def test_a_scale_that_is_no_number_is_not_called_too_small():
    found = of(
        Case.of(rng().standard_normal(100), given=Given.of(np.inf)), "LEARNED-SCALE-DIVERGED"
    )
    assert found.message.startswith("1 scale is no finite number above 0")


@pytest.mark.parametrize(
    ("observer", "count"),
    [("nvidia.percentile", 2**24), ("torch.histogram", 2**24), ("nvidia.percentile", 2**24 - 1)],
)
def test_bins_that_float32_cannot_count(observer, count):
    few = np.zeros(100, np.float32)
    few[:3] = 1
    case = Case.of(few, INT8, observer=observer)
    (recipe,) = case.used.needs
    state = case.seen[recipe]
    field = "counts" if observer.startswith("nvidia") else "histogram"
    counts = getattr(state, field).astype(np.float64)
    counts[counts.argmax()] = count
    full = type(state)(**{**vars(state), field: counts})
    have = Seen({**case.seen.states, recipe: full}, 1)
    found = of(Case.of(few, INT8, observer=observer, have=have), "COARSE-HISTOGRAM")
    assert (found is None) == (count < 2**24)
    if found is not None:
        assert found.severity == "note" and found.evidence["fullest_bin"] == 2**24
        assert "16,777,216" in found.message and "float32" in found.message
