"""microsoft/onnxruntime#14626, #14640, #18589: fixed scales for the output of a softmax."""

import numpy as np
import pytest

from qviz.doctor import Case, Given
from tests.field.asked import INT8, UINT8, compared, first, metric, named

X = np.exp(3 * np.random.default_rng(0).standard_normal((64, 64)))
X /= X.sum(1, keepdims=True)
STEPS = {
    "typed:scale=0.00390625,zero_point=0,quant_min=0,quant_max=255": (38.85, 0.697, 0.023),
    "typed:scale=0.00390625,zero_point=-128": (38.85, 0.697, 0.023),
    f"typed:scale={1 / 127!r},zero_point=0": (33.83, 0.766, 0.047),
}


SPELLED = tuple(STEPS)


@pytest.mark.parametrize("spelling", STEPS)
def test_numbers(spelling):
    sqnr, zeroed, off = STEPS[spelling]
    made = compared(X, spelling)
    assert metric(made, "sqnr") == pytest.approx(sqnr, abs=5e-3)
    assert metric(made, "zeroed_share") == pytest.approx(zeroed, abs=5e-4)
    codes = np.clip(np.rint(X / made.scale) + made.zero_point, made.quant_min, made.quant_max)
    rows = ((codes - made.zero_point) * made.scale).sum(1)
    assert abs(rows - 1).max() == pytest.approx(off, abs=6e-4)


def test_symmetric_codes_lose_half_and_the_known_range_gains():
    case = Case.of(X, INT8)
    assert "KNOWN-RANGE" in first(case)
    found = named(case, "KNOWN-RANGE")
    assert "half of a symmetric grid is unused" in found.message
    assert found.evidence["zeroed_share"] > 0.7 and found.evidence["row_sum_error"] > 0.04
    fixed = next(fix for fix in found.fixes if "1/256" in fix.action)
    assert fixed.how["symmetric"] is False
    now = metric(compared(X, spec=INT8), "sqnr")
    assert fixed.gain_db == pytest.approx(38.85 - now, abs=5e-3)


@pytest.mark.parametrize(
    ("given", "spec", "spelling"),
    [
        (Given.of(1 / 256), UINT8, SPELLED[0]),
        (Given.of(1 / 127, 0, (-128, 127)), INT8, SPELLED[2]),
    ],
)
def test_a_scale_that_is_given_loses_what_sqnr_hides(given, spec, spelling):
    sqnr, zeroed, off = STEPS[spelling]
    case = Case.of(X, spec, given=given)
    assert "KNOWN-RANGE" in first(case)
    found = named(case, "KNOWN-RANGE")
    assert found.severity == "note"
    assert found.evidence["zeroed_share"] == pytest.approx(zeroed, abs=5e-4)
    assert found.evidence["row_sum_error"] == pytest.approx(off, abs=6e-4)
    gains = [fix.gain_db for fix in found.fixes if "1/256" in fix.action]
    assert gains == ([] if sqnr > 38 else [pytest.approx(38.85 - 33.83, abs=0.01)])


def test_a_fixed_range_that_gains_nothing_is_not_offered():
    found = named(Case.of(X), "KNOWN-RANGE")
    assert found.fixes == () and len(found.tried) == 2 and found.severity == "note"


def test_uniform_data_alone_is_no_softmax():
    x = np.random.default_rng(0).uniform(0, 1, (64, 64))
    assert "KNOWN-RANGE" not in first(Case.of(x), 9)
