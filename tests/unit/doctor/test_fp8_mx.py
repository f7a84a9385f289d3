"""FP8-OVERFLOW and MX-CLIPPED on values whose casts are worked out by hand."""

import math

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper

from qviz.doctor import Case, examined
from qviz.doctor.formats import FORMATS, STORED_AS
from qviz.doctor.rules.fp8_overflow import CASTS, becomes, fp8_overflow
from qviz.doctor.rules.mx_clipped import mx_clipped
from tests.unit.doctor.generators import normal

FLOAT8, BLOCKS = STORED_AS[:4], STORED_AS[4:]


def fp8(x, name="float8_e4m3fn"):
    return fp8_overflow(Case.of(x, stored_as=name))


def mx(x, name="mxfp4_e2m1"):
    return mx_clipped(Case.of(x, stored_as=name))


def row(*values):
    """A block of these values and zeros."""
    return np.array([*values, *[0.0] * (32 - len(values))])


def db(signal, noise):
    return 10 * math.log10(signal / noise)


def by_onnx_runtime(x, name, saturate):
    kind = getattr(TensorProto, name.upper().replace("FLOAT8_", "FLOAT8"))
    there, back = TensorProto.FLOAT, helper.make_tensor_value_info
    nodes = [
        helper.make_node("Cast", ["x"], ["y"], to=kind, saturate=saturate),
        helper.make_node("Cast", ["y"], ["z"], to=there),
    ]
    graph = helper.make_graph(nodes, "g", [back("x", there, [None])], [back("z", there, [None])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": x})[0]


def by_ml_dtypes(x, name):
    with np.errstate(all="ignore"):
        return x.astype(getattr(ml_dtypes, name)).astype(np.float32)


@pytest.mark.parametrize("name", FLOAT8)
def test_what_casts_make_of_values_beyond_is_what_is_said(name):
    most = FORMATS[name].maximum
    x = np.array([10 * most, -10 * most, 3e38, np.inf, -np.inf], np.float32)
    casts = (
        torch.tensor(x).to(getattr(torch, name)).float().numpy(),
        by_ml_dtypes(x, name),
        by_onnx_runtime(x, name, 1),
        by_onnx_runtime(x, name, 0),
    )
    said = {"NaN": np.nan, "±inf": np.inf, f"±{most:g}": most}
    assert tuple(becomes(FORMATS[name])) == CASTS
    for cast, words in zip(casts, becomes(FORMATS[name]).values(), strict=True):
        np.testing.assert_array_equal(cast, np.sign(x) * said[words])


def test_a_saturating_cast_against_a_scale():
    found = fp8([896.0, -448.0, 1.0, 0.5])  # halved, all four are numbers of the format
    energy, e = 896**2 + 448**2 + 1.25, found.evidence
    assert (e["share"], e["over"], e["lost"], e["largest"]) == (0.25, 1, 1, 896)
    assert (e["maximum"], e["smallest"], e["scale"]) == (448, 2**-9, 2)
    assert (e["zeroed_share"], e["below_smallest_scaled"]) == (0, 0)
    assert e["sqnr_saturating"] == pytest.approx(db(energy, 448**2))
    assert e["sqnr_losing"] == pytest.approx(db(energy, 896**2))
    assert e["sqnr_scaled"] == 200  # nothing is lost
    (fix,) = found.fixes
    assert fix.gain_db == pytest.approx(200 - db(energy, 448**2)) and found.severity == "high"
    assert fix.action == "divide by 2 (largest / 448) before the cast, multiply after it"
    assert found.message == (
        "25 % of the values, up to 896, lie beyond 448, the largest number of float8_e4m3fn (0 % "
        "allowed): they become ±448 (torch 2.13, ONNX Runtime with saturate=1), NaN (ml_dtypes, "
        "ONNX Runtime with saturate=0)."
    )


@pytest.mark.parametrize("name", FLOAT8[1:])
def test_where_torch_yields_nan_or_infinity_the_loss_is_all_of_the_value(name):
    most = FORMATS[name].maximum
    found = fp8(np.array([2 * most, most, most]), name)
    assert found.severity == "high"
    assert found.gain == pytest.approx(200 - db(6, 4))  # in squares of the largest number
    gone = "±inf" if name == "float8_e5m2" else "NaN"
    assert f"they become {gone} (torch 2.13, ml_dtypes" in found.message


def test_a_gain_of_saturated_values_sets_the_severity_but_nan_elsewhere_is_at_least_medium():
    x = 50 * normal()
    assert np.abs(x).max() < 448
    found = fp8(np.append(x, 470.0))
    assert found.gain < 3 and found.severity == "medium"
    assert found.evidence["lost"] == 1


def test_values_less_than_half_a_step_beyond_are_rounded():
    found = fp8(np.append(50 * normal(), [464.0, -450]))  # 464 is a tie, and 448 is even
    assert (found.severity, found.evidence["over"], found.evidence["lost"]) == ("note", 2, 0)
    assert found.message.endswith("(0 % allowed): they round to it.")
    assert fp8([247.9], "float8_e4m3fnuz").evidence["lost"] == 0
    assert fp8([248.0], "float8_e4m3fnuz").evidence["lost"] == 1  # a tie; 256 would be even


def test_what_becomes_0_is_a_note():
    x = np.array([2.0**-10, -(2.0**-11), 0, 1.0])  # half of the smallest number is a tie with 0
    found = fp8(x)
    assert found.severity == "note" and not found.expected
    assert found.evidence["zeroed_share"] == pytest.approx(2 / 3)
    assert found.message == (
        "67 % of the values other than 0 become 0 (over 1 %): the smallest number of "
        "float8_e4m3fn is 0.001953."
    )
    assert found.fixes[0].action.startswith("divide by 0.002232 (largest / 448)")
    assert found.fixes[0].gain_db == pytest.approx(200 - db(1 + 2**-20 + 2**-22, 2**-20 + 2**-22))
    both = fp8(np.append(x, 1e6))
    assert "ONNX Runtime with saturate=0). 50 % of the values other than 0" in both.message
    assert both.evidence["below_smallest_scaled"] == 0.75  # 448e-6 is below 2^-9


def test_up_to_one_percent_may_become_0():
    assert fp8([1.0] * 99 + [1e-9]) is None
    assert fp8([1.0] * 98 + [1e-9] * 2).severity == "note"


@pytest.mark.parametrize("name", FLOAT8)
def test_ordinary_values_and_those_that_are_not_finite_raise_nothing(name):
    assert fp8(normal(), name) is None
    assert fp8(np.array([np.nan, np.inf, -np.inf, 1.0]), name) is None
    assert fp8(np.zeros(5), name) is None
    assert fp8(np.array([FORMATS[name].maximum]), name) is None


def test_all_batches_are_read():
    found = fp8([np.ones((4, 8)), np.full((2, 8), 1000.0)])
    assert (found.evidence["over"], found.evidence["share"]) == (16, pytest.approx(1 / 3))


def test_a_clipped_block_against_a_scale_rounded_up():
    found = mx(np.stack([row(7.5), row(8.0)]))  # 7.5 / 1 is clipped to 6; 8 / 2 is 4
    e = found.evidence
    assert (e["share"], e["blocks"], e["clipped"], e["maximum"]) == (0.5, 2, 1, 6)
    assert e["largest_loss"] == pytest.approx(0.2)
    # 7.5 / 2 = 3.75 becomes 4, and 8 comes back
    assert e["sqnr_down"] == pytest.approx(db(7.5**2 + 64, 1.5**2))
    assert e["sqnr_up"] == e["sqnr_better"] == pytest.approx(db(7.5**2 + 64, 0.5**2))
    (fix,) = found.fixes
    assert fix.action == "round the scale up where it clips"
    assert fix.gain_db == pytest.approx(db(1.5**2, 0.5**2)) and found.severity == "medium"
    assert found.message == (
        "50 % of the blocks of 32 (over 1 %) reach beyond 6, the largest number of mxfp4_e2m1, "
        "since scales are rounded down: their largest elements are clipped and lose up to 20 %."
    )


def test_where_nothing_gains_it_is_expected():
    found = mx(row(6.1, *[0.5] * 31))  # a scale of 2 makes 0 of 0.25: a tie
    assert found.expected and found.severity == "note" and found.fixes == ()
    better, up = found.tried
    assert better.gain_db == 0
    assert up.gain_db == pytest.approx(db(0.1**2, 0.1**2 + 31 * 0.5**2))


def test_the_better_scale_of_each_block_is_offered_where_it_gains_more():
    found = mx(np.stack([row(6.1, *[0.5] * 31), row(7.5)]))
    energy = 6.1**2 + 31 / 4 + 7.5**2
    assert found.evidence["sqnr_up"] == pytest.approx(db(energy, 0.01 + 31 / 4 + 0.25))
    (fix,), (tried,) = found.fixes, found.tried
    assert fix.action == "try both scales in each block, keep the better"
    assert fix.gain_db == pytest.approx(db(0.01 + 1.5**2, 0.01 + 0.5**2))
    assert tried.gain_db < 0 and not found.expected


def test_one_block_in_a_hundred_may_be_clipped():
    fits, beyond = row(6.0), row(6.5)
    assert mx(np.stack([fits] * 99 + [beyond])) is None
    assert mx(np.stack([fits] * 98 + [beyond] * 2)).evidence["share"] == 0.02
    assert mx(np.stack([row(0)] * 900 + [fits] * 9 + [beyond])).evidence["share"] == 0.1


@pytest.mark.parametrize("name", BLOCKS)
def test_the_share_of_clipped_blocks_of_a_normal_tensor(name):
    most = FORMATS[name].maximum / 2 ** FORMATS[name].power

    def below(t):  # the largest of 32 standard normal magnitudes
        return math.erf(t / math.sqrt(2)) ** 32

    share = sum(below(2 ** (k + 1)) - below(most * 2**k) for k in range(-9, 5))
    x = normal(20_000, 32)
    found = mx(x, name)
    assert found.evidence["share"] == pytest.approx(share, abs=0.01)  # 0.296 of E2M1
    amax = np.abs(x).max(axis=1)
    assert found.evidence["clipped"] == (np.frexp(amax)[0] * 2 > most).sum()
    assert found.evidence["largest_loss"] == pytest.approx(1 - most / 2, abs=0.002)


def test_blocks_are_counted_by_their_largest_element_over_the_scale():
    found = mx(np.stack([row(4.0), row(6.0), row(6.01), row(15.99), row(0.01)]))
    counts = np.zeros(16, int)
    # 4 and 6 are in the bins that end there; 15.99 is 7.995; 0.01 is 5.12: (1.28 - 1) * 16 = 4.48
    counts[[0, 7, 8, 15, 4]] = 1
    assert found.evidence["counts"] == counts.tolist()
    assert found.evidence["largest_power"] == 4


def test_ordinary_blocks_and_those_that_are_not_finite_raise_nothing():
    assert mx(np.stack([row(5.9), row(7.0, np.nan), row(7.0, np.inf)])) is None
    assert mx(np.zeros((3, 40))) is None
    assert mx(np.full((3, 40), 1e-320)) is None


def test_values_that_no_scale_reaches_are_refused():
    made = examined(Case.of(np.full((2, 32), 2.0**129), stored_as="mxfp4_e2m1"))
    assert made.skipped["MX-CLIPPED"].startswith("There are values beyond what scales up to 2^127")
    assert mx(np.full((2, 32), 1.75 * 2.0**128)).evidence["share"] == 1


def test_a_format_that_was_not_asked_for_raises_nothing():
    far = np.full((4, 32), 7.9e5)
    assert fp8_overflow(Case.of(far)) is mx_clipped(Case.of(far)) is None
    assert fp8(far, "mxfp4_e2m1") is mx(far, "float8_e5m2") is None


def test_what_cannot_be_looked_at_is_said():
    made = examined(Case.of(normal(), stored_as="float9"))
    assert {"FP8-OVERFLOW", "MX-CLIPPED"} <= set(made.skipped)
    assert "No float format is called 'float9'." in made.skipped["MX-CLIPPED"]
    none = examined(Case.of(np.full(4, np.nan), stored_as="float8_e5m2"))
    assert none.skipped["FP8-OVERFLOW"] == "There is no finite element."


@pytest.mark.parametrize("name", FLOAT8)
@pytest.mark.parametrize("far", [1e300, 1e-42, 1e-320])
def test_gains_are_numbers_at_the_ends_of_float64(name, far):
    found = fp8(np.linspace(-far, far, 64), name)
    assert 20 < found.gain < 40
    assert found.evidence["lost" if far > 1 else "zeroed_share"] == (64 if far > 1 else 1)
