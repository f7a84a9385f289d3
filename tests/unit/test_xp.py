"""One vocabulary over NumPy and torch: each word gives the same from both."""

import warnings

import numpy as np
import pytest
import torch

from qviz import xp
from qviz.errors import QvizError

BOTH = pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])


def test_namespace():
    assert xp.namespace(np.zeros(2)) is np
    assert xp.namespace([1.0]) is np
    assert xp.namespace(torch.zeros(2)) is torch


@pytest.mark.parametrize(
    "name", ["float16", "float32", "float64", "int8", "uint16", "int64", "bool"]
)
def test_types_have_one_name(name):
    assert xp.dtype_name(np.zeros(2, name)) == name
    assert xp.dtype_name(torch.zeros(2, dtype=getattr(torch, name))) == name
    assert xp.dtype_name(np.zeros(2, np.dtype(name).newbyteorder(">"))) == name


@BOTH
def test_size_and_type(kind):
    x = kind(np.array([[1.5, -2.5, 3.0]]))
    assert xp.size(x) == 3
    assert xp.astype(x, "float64") is x
    narrow = xp.astype(x, "float32")
    assert xp.dtype_name(narrow) == "float32"
    assert xp.host(narrow).tolist() == [[1.5, -2.5, 3.0]]


def test_a_cpu_tensor_is_viewed_on_the_host():
    x = torch.zeros(3, requires_grad=True)
    view = xp.host(x)
    view[1] = 7
    assert x.tolist() == [0, 7, 0]


@BOTH
def test_a_column_beside_rows(kind):
    rows = kind(np.zeros((3, 2), np.float32))
    column = xp.like(np.array([1, 2, 3]), rows, "float32")
    assert xp.namespace(column) is xp.namespace(rows)
    assert xp.dtype_name(column) == "float32"
    assert xp.host(column).tolist() == [[1], [2], [3]]
    assert xp.host(xp.like(5, rows, "float64")).tolist() == [[5]]


def test_a_read_only_column_beside_a_tensor_does_not_warn():
    values = np.arange(3.0)
    values.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert xp.like(values, torch.zeros(3, 1), "float64").flatten().tolist() == [0, 1, 2]


@BOTH
def test_division_rounds_once(kind):
    numbers = np.arange(1, 2000, dtype=np.float32)
    x = kind(numbers)
    assert (xp.host(xp.div(255.0, x)) == np.float32(255) / numbers).all()
    assert (xp.host(xp.div(x, 255.0)) == numbers / np.float32(255)).all()
    assert (xp.host(xp.div(x, kind(numbers[::-1].copy()))) == numbers / numbers[::-1]).all()


@BOTH
def test_rounding(kind):
    below = np.nextafter(0.5, 0)  # floor(x + 0.5) would make 1 of it
    x = kind(np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, below, -below, 3.2]))
    assert xp.host(xp.rint(x)).tolist() == [-2, -2, 0, 0, 2, 2, 0, 0, 3]
    assert xp.host(xp.round_away(x)).tolist() == [-3, -2, -1, 1, 2, 3, 0, 0, 3]


@BOTH
def test_clip(kind):
    x = kind(np.array([-5.0, 0.5, 9.0, np.nan, np.inf]))
    got = xp.host(xp.clip(x, -1, 2))
    assert got[[0, 1, 2, 4]].tolist() == [-1, 0.5, 2, 2]
    assert np.isnan(got[3])
    low, high = kind(np.array([[0.0], [-9.0]])), kind(np.array([[1.0], [9.0]]))
    assert xp.host(xp.clip(x[:3], low, high)).tolist() == [[0, 0.5, 1], [-5, 0.5, 9]]


@pytest.mark.parametrize("dtype", ["float16", ">f4", "float64", "int8", "uint64", "bool"])
def test_real_arrays_enter_as_they_are(dtype):
    x = np.zeros((2, 3), dtype)
    assert xp.enter(x) is x


def test_numbers_and_lists_enter():
    assert xp.enter(3).shape == ()
    assert xp.enter([[1, 2], [3, 4]]).dtype == np.int64


@pytest.mark.parametrize("name", ["float32", "float16", "int32", "uint16", "bool"])
def test_cpu_tensors_enter_as_views(name):
    x = torch.zeros(3, dtype=getattr(torch, name))
    entered = xp.enter(x)
    entered[0] = 1
    assert x[0] == 1


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2])
def test_types_that_numpy_lacks_stay_torch(dtype):
    assert xp.enter(torch.zeros(3).to(dtype)).dtype == dtype


def test_gradients_and_lazy_signs_are_taken_off():
    assert xp.enter(torch.ones(2, requires_grad=True)).tolist() == [1, 1]
    lazy = torch.tensor([1 + 2j]).conj().imag
    assert lazy.is_neg()
    assert xp.enter(lazy).tolist() == [-2]


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(2, complex),
        np.zeros(2, np.longdouble),
        np.array(["a"]),
        np.array([None]),
        np.zeros(2, "datetime64[s]"),
        np.zeros(2, [("a", "f4")]),
        "text",
        None,
    ],
    ids=lambda x: str(getattr(x, "dtype", x)),
)
def test_what_is_no_real_number_is_refused(x):
    with pytest.raises(QvizError, match=r"^Elements of type .* cannot be quantized\. Real numbers"):
        xp.enter(x)


def test_parts_of_different_length_are_refused():
    with pytest.raises(QvizError, match=r"^This is no array\. Its parts differ in length"):
        xp.enter([[1, 2], [3]])


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.zeros(2, dtype=torch.complex64),
        lambda: torch.zeros(2, 2).to_sparse(),
        lambda: torch.zeros(2, device="meta"),
        lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
        lambda: torch.zeros(2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2),
    ],
    ids=["complex", "sparse", "meta", "nested", "float4"],
)
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_tensors_that_cannot_be_read(make):
    with pytest.raises(QvizError, match=r"^A torch\.\w+ tensor .* cannot be read\. Dense tensors"):
        xp.enter(make())


@pytest.mark.parametrize(
    ("dtype", "counted"),
    [
        ("float16", "float16"),
        (">f2", "float16"),
        ("float32", "float32"),
        (">f4", "float32"),
        ("float64", "float64"),
        ("bool", "float32"),
        ("int8", "float32"),
        (">u2", "float32"),
        ("int32", "float64"),
        ("uint64", "float64"),
    ],
)
def test_the_type_that_elements_are_counted_in(dtype, counted):
    x = np.array([0, 1, 1], dtype)
    assert xp.working_name(x) == counted
    got = xp.working(x)
    assert got.dtype == np.dtype(counted)
    assert got.dtype.isnative
    assert got.tolist() == [0, 1, 1]


def test_native_floats_are_not_copied_to_be_counted():
    x = np.zeros(3, np.float32)
    assert xp.working(x) is x


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.uint64])
def test_cpu_tensors_are_counted_as_numpy(dtype):
    got = xp.working(torch.tensor([0.0, 1.0, 2.0]).to(dtype))
    assert isinstance(got, np.ndarray)
    assert got.dtype == (np.float64 if dtype == torch.uint64 else np.float32)
    assert got.tolist() == [0, 1, 2]


SHAPES = [(24,), (6, 4), (2, 3, 4), (1, 1, 24), (2, 1, 3, 4)]


@BOTH
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reverse", [False, True], ids=["view", "copy"])
def test_any_tile_of_groups_is_that_of_the_whole(kind, shape, reverse):
    x = np.arange(24.0).reshape(shape)
    x = np.asfortranarray(x) if reverse else x
    for groups in (g for g in (1, 2, 6, 12, 24) if shape[-1] % (24 // g) == 0):
        whole = x.reshape(groups, -1)
        for start in range(groups):
            for stop in range(start, groups + 1):
                got = xp.host(xp.cut(kind(x), groups, slice(start, stop)))
                assert got.tolist() == whole[start:stop].tolist()


def test_a_tile_of_a_layout_that_must_be_copied_copies_little():
    x = np.zeros((4, 10, 8, 100)).transpose(0, 1, 3, 2)  # 4000 groups of 8 elements
    tile = xp.cut(x, 4000, slice(1050, 1150))  # half of two blocks of 100 groups
    assert tile.shape == (100, 8)
    assert not np.shares_memory(tile, x)
    assert tile.base.size == 2 * 100 * 8


def test_a_tile_of_a_plain_layout_is_a_view():
    x = np.zeros((4, 1000, 8))
    assert np.shares_memory(xp.cut(x, 4000, slice(900, 2200)), x)
