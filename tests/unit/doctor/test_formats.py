"""Formats against tables written out by hand, torch's casts, and recorded vectors."""

import numpy as np
import pytest
import torch

from qviz.doctor.formats import (
    FORMATS,
    STORED_AS,
    blocks,
    exponents,
    format_of,
    in_blocks,
    pieces,
    rounded,
)
from qviz.errors import QvizError
from tests.golden.loader import cases, load, same

FLOAT8 = STORED_AS[:4]
KNOWN = {  # bits, bias, maximum, infinity, smallest number above 0
    "float8_e4m3fn": (8, 7, 448, False, 2**-9),
    "float8_e4m3fnuz": (8, 8, 240, False, 2**-10),
    "float8_e5m2": (8, 15, 57344, True, 2**-16),
    "float8_e5m2fnuz": (8, 16, 57344, False, 2**-17),
    "mxfp8_e4m3": (8, 7, 448, False, 2**-9),
    "mxfp8_e5m2": (8, 15, 57344, True, 2**-16),
    "mxfp6_e2m3": (6, 1, 7.5, False, 0.125),
    "mxfp6_e3m2": (6, 3, 28, False, 0.0625),
    "mxfp4_e2m1": (4, 1, 6, False, 0.5),
}
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
E2M3 = [
    *(0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875),
    *(1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875),
    *(2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 3.75),
    *(4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5),
]
E3M2 = [
    *(0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375),
    *(0.5, 0.625, 0.75, 0.875, 1, 1.25, 1.5, 1.75),
    *(2, 2.5, 3, 3.5, 4, 5, 6, 7),
    *(8, 10, 12, 14, 16, 20, 24, 28),
]
TABLES = {"mxfp4_e2m1": E2M1, "mxfp6_e2m3": E2M3, "mxfp6_e3m2": E3M2}


def torch_values(name):
    """All values of torch's type in code order, NaN and infinity among them."""
    return torch.arange(256, dtype=torch.uint8).view(getattr(torch, name)).double().numpy()


@pytest.mark.parametrize("name", STORED_AS)
def test_what_each_format_is(name):
    made = FORMATS[name]
    assert (made.bits, made.bias, made.maximum, made.has_inf, made.smallest) == KNOWN[name]
    assert made.block == (32 if name.startswith("mx") else 1)
    assert 2**made.power <= made.maximum < 2 ** (made.power + 1)


def test_a_name_that_is_no_format_is_refused():
    assert format_of("mxfp4_e2m1").maximum == 6
    with pytest.raises(QvizError, match=r"'float8'.*Known: float8_e4m3fn, .*mxfp4_e2m1"):
        format_of("float8")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("sign", [1, -1])
def test_small_formats_hold_their_tables_and_ties_go_to_the_even_code(name, sign):
    table, kept = np.array(TABLES[name]), FORMATS[name]
    middle = (table[1:] + table[:-1]) / 2
    ties = [table[i] if i % 2 == 0 else table[i + 1] for i in range(len(middle))]
    np.testing.assert_array_equal(rounded(sign * table, kept), sign * table)
    np.testing.assert_array_equal(rounded(sign * middle, kept), sign * np.array(ties))
    np.testing.assert_array_equal(rounded(sign * np.nextafter(middle, 0), kept), sign * table[:-1])
    np.testing.assert_array_equal(rounded(sign * np.nextafter(middle, 99), kept), sign * table[1:])
    for saturate in (True, False):  # no code for infinity or NaN
        far = rounded(sign * np.array([1.01 * table[-1], 1e300, np.inf]), kept, saturate=saturate)
        np.testing.assert_array_equal(far, sign * table[[-1, -1, -1]])


@pytest.mark.parametrize("name", FLOAT8)
def test_all_codes_of_torch_come_back_and_so_do_what_lies_between(name):
    kept, values = FORMATS[name], torch_values(name)
    there = np.unique(values[np.isfinite(values)])
    assert len(there) == {"float8_e5m2": 247, "float8_e4m3fn": 253}.get(name, 255)
    np.testing.assert_array_equal(rounded(there, kept, saturate=False), there)
    middle = (there[1:] + there[:-1]) / 2
    between = np.concatenate([middle, np.nextafter(middle, -99), np.nextafter(middle, 99)])
    nearest = there[np.abs(between[:, None] - there).argmin(axis=1)]
    apart = np.sort(np.abs(between[:, None] - there), axis=1)
    clear = apart[:, 0] < apart[:, 1]
    np.testing.assert_array_equal(rounded(between, kept)[clear], nearest[clear])
    cast = torch.tensor(middle.astype(np.float32)).to(getattr(torch, name)).double().numpy()
    np.testing.assert_array_equal(rounded(middle, kept), cast)


@pytest.mark.parametrize("name", FLOAT8)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_random_values_as_torch_casts_them(name, dtype):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(50_000) * 10.0 ** rng.uniform(-7, 4.5, 50_000)).clip(-65504, 65504)
    x = np.concatenate([x, [0.0, -0.0, 1e-30, -1e-30, np.nan, 464, 248, 61440]]).astype(dtype)
    if dtype == np.float32:
        x = np.append(x, np.array([np.inf, -np.inf, 3e38, -3e38], dtype))
    cast = torch.tensor(x).to(getattr(torch, name)).float().numpy()
    made = rounded(x, FORMATS[name], saturate=name == "float8_e4m3fn")
    assert made.dtype == np.float64
    assert same(made.astype(np.float32), cast)  # -0 too


@pytest.mark.parametrize("op", ["cast.torch", "cast.ml_dtypes"])
def test_recorded_casts(op):
    x, seen = load("calibrators")["data"]["fp8/x"], 0
    for case in cases("calibrators", op=op):
        name = case["params"]["dtype"]
        name = {f"float{n[4]}_{n[6:]}fn": n for n in TABLES}.get(name, name)
        if name in FORMATS:
            saturate = op == "cast.torch" and name == "float8_e4m3fn"
            kept = FORMATS[name]
            here = np.isfinite(x) | (kept.block == 1)  # small formats have no NaN
            made = rounded(x, kept, saturate=saturate).astype(np.float32)
            assert same(made[here], case["expected"]["value"][here], zeros_alike=True), name
            seen += 1
    assert seen == (4 if op == "cast.torch" else 7)


@pytest.mark.parametrize("scales", ["floor", "rceil"])
def test_recorded_blocks(scales):
    data, seen = load("calibrators")["data"], set()
    for case in cases("calibrators", op="mx.torchao", scale_mode=scales):
        params, wanted = case["params"], case["expected"]
        name = {"mxfp4": "mxfp4_e2m1"}.get(params["element"], params["element"])
        (rows,) = blocks([data[f"data/{params['data']}"]])
        power = exponents(np.abs(rows).max(axis=1), FORMATS[name], up=scales == "rceil")
        np.testing.assert_array_equal(power + 127, wanted["scale"].reshape(-1))
        back = in_blocks(rows, power, FORMATS[name])
        np.testing.assert_array_equal(back, wanted["out"].reshape(-1, 32), case["id"])
        seen.add(name)
    assert seen == set(STORED_AS[4:])


def test_shared_exponents_by_hand():
    kept = FORMATS["mxfp4_e2m1"]  # up to 6, whose power of two is 4
    amax = np.array([4, 6, 6.1, 7.9, 8, 0.3, 2.0**-140, 1e300])
    # 0.3 = 1.2 * 2^-2, and 0.3 / 2^-4 = 4.8 fits; scales end at 2^-127 and 2^127
    assert exponents(amax, kept).tolist() == [0, 0, 0, 0, 1, -4, -127, 127]
    assert exponents(amax, kept, up=True).tolist() == [0, 0, 1, 1, 1, -4, -127, 127]


def test_blocks_by_hand():
    rows = np.zeros((2, 32))
    rows[0, :4] = 7.9, 0.2, 0.25, -2.6
    rows[1, :4] = 7.9, 0.2, 0.51, -2.6
    back = in_blocks(rows, np.array([0, 1]), FORMATS["mxfp4_e2m1"])
    assert back[0, :4].tolist() == [6, 0, 0, -3]  # 0.25 is a tie between 0 and 0.5
    assert back[1, :4].tolist() == [8, 0, 1, -3]  # 3.95, 0.1, 0.255, -1.3 in steps of 2
    assert not back[:, 4:].any()


def test_blocks_lie_along_the_last_axis_and_are_filled_up():
    x = np.arange(1.0, 2 * 3 * 40 + 1).reshape(2, 3, 40)
    (made,) = blocks([x])
    assert made.shape == (12, 32)
    assert made[0].tolist() == x[0, 0, :32].tolist()
    assert made[1].tolist() == x[0, 0, 32:].tolist() + [0] * 24
    assert made[2].tolist() == x[0, 1, :32].tolist()


def test_blocks_that_are_not_finite_are_left_out():
    x = np.ones((3, 32), np.float32)
    x[0, 5], x[2, 0] = np.nan, -np.inf
    (made,) = blocks([x])
    assert made.tolist() == [[1] * 32]


@pytest.mark.parametrize("shape", [(200_001,), (3, 70_000), (70_000, 3), (1,), ()])
def test_every_element_is_read_once(shape):
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    x = np.asarray(x, np.float32)
    empty = np.zeros((4, 0), np.float32)
    for batches in ([x], [empty, x], [torch.tensor(x)]):
        flat = np.concatenate([piece.reshape(-1) for piece in pieces(batches)])
        assert flat.dtype == np.float64
        np.testing.assert_array_equal(np.sort(flat), np.sort(x.reshape(-1)))
        whole = np.concatenate([made.reshape(-1) for made in blocks(batches)])
        assert whole.sum() == pytest.approx(flat.sum()) and len(whole) % 32 == 0


def test_types_that_numpy_lacks_are_read():
    x = torch.tensor([0.5, -3.0, 448.0])
    for kind in (torch.bfloat16, torch.float8_e4m3fn):
        (made,) = pieces([x.to(kind)])
        assert made.tolist() == [[0.5, -3, 448]]
