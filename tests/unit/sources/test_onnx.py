"""ONNX models written by the real library, and what is listed and read of them."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from tests.unit.sources.memory import cost_of_reading

RNG = np.random.default_rng(0)
PLAIN = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def model(path, nodes=(), initializers=(), functions=(), **more):
    graph = helper.make_graph(list(nodes), "g", [], [], list(initializers))
    made = helper.make_model(graph, functions=list(functions), **more)
    onnx.save(made, path)
    return open_file(path)


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


@pytest.mark.parametrize("kind", PLAIN)
def test_every_numpy_type_comes_back(tmp_path, kind):
    array = np.array([[0, 1, 1], [0, 100, 7]]).astype(kind)
    source = model(tmp_path / "a.onnx", initializers=[tensor("w", array)])
    assert source["w"].dtype == array.dtype and source.info("w").dtype == array.dtype.name
    assert source["w"].tolist() == array.tolist()
    assert isinstance(source["w"].base, np.memmap) and not source["w"].flags.writeable


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (TensorProto.FLOAT, [1.5, -2, 0]),
        (TensorProto.DOUBLE, [1.5, -2, 1e300]),
        (TensorProto.INT64, [2**62, -1, 3]),
        (TensorProto.UINT64, [2**63, 0, 200]),
        (TensorProto.INT8, [-128, 127, 0]),
        (TensorProto.INT32, [-(2**31), 300, 0]),
        (TensorProto.BOOL, [True, False, True]),
    ],
)
def test_typed_data_is_decoded(tmp_path, kind, values):
    source = model(tmp_path / "a.onnx", initializers=[helper.make_tensor("w", kind, [3], values)])
    assert source["w"].tolist() == values
    assert source["w"].dtype.name == source.info("w").dtype


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ml_dtypes.bfloat16, "bfloat16"),
        (ml_dtypes.float8_e4m3fn, "float8_e4m3fn"),
        (ml_dtypes.float8_e5m2, "float8_e5m2"),
        (ml_dtypes.float8_e4m3fnuz, "float8_e4m3fnuz"),
    ],
)
@pytest.mark.parametrize("raw", [True, False])
def test_types_that_numpy_lacks_come_back_as_tensors(tmp_path, kind, name, raw):
    array = np.array([[0.5, 1.5], [-2, 8]]).astype(kind)
    stored = tensor("w", array)
    if not raw:
        values = [0.5, 1.5, -2, 8]
        stored = helper.make_tensor("w", stored.data_type, [2, 2], values)
    source = model(tmp_path / "a.onnx", initializers=[stored])
    assert source.info("w").dtype == name
    assert str(source["w"].dtype) == f"torch.{name}"
    assert source["w"].float().tolist() == [[0.5, 1.5], [-2, 8]]


@pytest.mark.parametrize(
    ("kind", "values", "dtype"),
    [
        (ml_dtypes.int4, [-8, 7, 0, 3, -1], "int8"),
        (ml_dtypes.uint4, [15, 0, 7, 1, 2], "uint8"),
        (ml_dtypes.float4_e2m1fn, [0.5, -6, 1.5, 0, 4], "float32"),
    ],
)
def test_narrow_types_are_widened(tmp_path, kind, values, dtype):
    source = model(tmp_path / "a.onnx", initializers=[tensor("w", np.array(values).astype(kind))])
    assert source.info("w").dtype == source["w"].dtype.name == dtype
    assert source["w"].tolist() == values
    assert source.info("w").about == f"Stored as {np.dtype(kind).name}."


def test_scalars_empty_and_complex_tensors(tmp_path):
    source = model(
        tmp_path / "a.onnx",
        initializers=[
            tensor("scalar", np.float32(3.5)),
            tensor("empty", np.empty((3, 0), np.float32)),
            tensor("z", np.array([3 + 4j], np.complex64)),
        ],
    )
    assert source["scalar"].shape == () and source["scalar"] == 3.5
    assert source["empty"].shape == (3, 0)
    assert [source[f"z.{part}"].tolist() for part in ("real", "imag", "abs")] == [[3], [4], [5]]


def constant(output, **attribute):
    return helper.make_node("Constant", [], [output], **attribute)


def test_constants_in_nodes_are_found_by_their_output(tmp_path):
    nodes = [
        constant("table", value=tensor("inner", np.arange(6.0).reshape(2, 3))),
        constant("half", value_float=0.5),
        constant("three", value_int=3),
        constant("floats", value_floats=[1.0, 2.5]),
        constant("ints", value_ints=[1, -2, 3]),
        constant("words", value_string="text"),
    ]
    source = model(tmp_path / "a.onnx", nodes)
    assert source.names == ("table", "half", "three", "floats", "ints")
    assert source["table"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (float(source["half"]), int(source["three"])) == (0.5, 3)
    assert source["floats"].tolist() == [1, 2.5] and source["ints"].tolist() == [1, -2, 3]
    assert source["floats"].dtype == np.float32 and source["ints"].dtype == np.int64
    assert {name: source[name].shape for name in source} == {
        name: info.shape for name, info in source.infos.items()
    }


def test_subgraphs_and_functions_are_walked(tmp_path):
    deep = helper.make_graph(
        [constant("k", value=tensor("", np.ones(2)))], "deep", [], [], [tensor("w", np.ones(3))]
    )
    inner = helper.make_graph(
        [helper.make_node("If", ["c"], ["z"], name="again", then_branch=deep, else_branch=deep)],
        "inner", [], [], [tensor("w", np.zeros(4))],
    )  # fmt: skip
    node = helper.make_node("If", ["c"], ["y"], name="choose", then_branch=inner, else_branch=inner)
    function = helper.make_function(
        "own", "gelu", [], ["y"], [constant("y", value_float=1.5)], [helper.make_opsetid("", 20)]
    )
    source = model(tmp_path / "a.onnx", [node], [tensor("w", np.ones(1))], [function])
    assert source["w"].shape == (1,)
    assert source["choose.then_branch/w"].shape == (4,)
    assert source["choose.else_branch/again.then_branch/w"].shape == (3,)
    assert source["choose.then_branch/again.else_branch/k"].shape == (2,)
    assert float(source["gelu/y"]) == 1.5
    assert len(source) == 1 + 2 * (1 + 2 * 2) + 1


def test_roles_follow_the_operation_not_the_name(tmp_path):
    nodes = [
        helper.make_node("Conv", ["x", "a", "b"], ["y"]),
        helper.make_node("Transpose", ["c"], ["ct"]),
        helper.make_node("MatMul", ["y", "ct"], ["m"]),
        helper.make_node("Add", ["m", "d"], ["n"]),
        helper.make_node("Gemm", ["n", "e", "f"], ["o"]),
        helper.make_node("BatchNormalization", ["o", "g", "h", "mean", "var"], ["p"]),
    ]
    shapes = dict(a=(2, 1, 3, 3), b=(2,), c=(2, 2), d=(2,), e=(2, 2), f=(2,), g=(2,), h=(2,))
    shapes |= dict(mean=(2,), var=(2,), unused_bias=(2,))
    stored = [tensor(name, RNG.normal(size=shape)) for name, shape in shapes.items()]
    source = model(tmp_path / "a.onnx", nodes, stored)
    roles = {name: info.role for name, info in source.infos.items()}
    assert roles == {
        **dict.fromkeys("aceg", "weight"),
        **dict.fromkeys("bdfh", "bias"),
        **dict(mean="unknown", var="unknown", unused_bias="bias"),
    }


def dequantize(x, scale, zero="", **attributes):
    return helper.make_node("DequantizeLinear", [x, scale, zero], [f"{x}_real"], **attributes)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_codes_open_as_codes_and_as_values(tmp_path, axis):
    codes = RNG.integers(-128, 128, (3, 3), dtype=np.int8)
    scales, zeros = np.array([0.1, 0.02, 3], np.float32), np.array([0, 5, -7], np.int8)
    nodes = [
        dequantize("w", "s", "z", axis=axis),
        helper.make_node("MatMul", ["x", "w_real"], ["y"]),
    ]
    stored = [tensor("w", codes), tensor("s", scales), tensor("z", zeros)]
    source = model(tmp_path / "a.onnx", nodes, stored)
    assert source.names == ("w", "w (dequantized)", "s", "z")
    assert source["w"].tolist() == codes.tolist()
    shape = [1, 1]
    shape[axis] = 3
    wide = codes.astype(np.int32) - zeros.astype(np.int32).reshape(shape)
    want = wide.astype(np.float32) * scales.reshape(shape)
    assert np.array_equal(source["w (dequantized)"], want)
    q = source.info("w").qparams
    assert q.scale.tolist() == scales.tolist() and q.zero_point.tolist() == zeros.tolist()
    assert (q.axis, q.ends) == (axis % 2, (-128, 127))
    assert source.info("w").role == source.info("w (dequantized)").role == "weight"
    assert source.info("s").about == "scale of w" and source.info("s").role == "unknown"


def test_dequantized_values_are_those_of_the_runtime(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    codes = RNG.integers(0, 256, (64, 5), dtype=np.uint8)
    scale = RNG.uniform(1e-4, 1, 5).astype(np.float32)
    zero = RNG.integers(0, 256, 5, dtype=np.uint8)
    node = dequantize("w", "s", "z", axis=1)
    stored = [tensor("w", codes), tensor("s", scale), tensor("z", zero)]
    out = helper.make_tensor_value_info("w_real", TensorProto.FLOAT, [64, 5])
    graph = helper.make_graph([node], "g", [], [out], stored)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    onnx.save(made, tmp_path / "a.onnx")
    (want,) = runtime.InferenceSession(tmp_path / "a.onnx").run(None, {})
    assert np.array_equal(open_file(tmp_path / "a.onnx")["w (dequantized)"], want)


def test_codes_in_blocks_and_in_four_bits(tmp_path):
    codes = np.array([[-8, 7, 1, 2, 3], [4, 5, 6, 0, -1]]).astype(ml_dtypes.int4)
    scales = np.array([[1, 10, 100], [0.5, 2, 4]], np.float32)
    nodes = [dequantize("w", "s", axis=1, block_size=2)]
    source = model(tmp_path / "a.onnx", nodes, [tensor("w", codes), tensor("s", scales)])
    want = [[-8, 7, 10, 20, 300], [2, 2.5, 12, 0, -4]]
    assert source["w (dequantized)"].tolist() == want
    assert source.info("w").qparams.ends == (-8, 7)


def test_float_weights_before_a_quantizer_carry_its_parameters(tmp_path):
    nodes = [
        helper.make_node("QuantizeLinear", ["w", "s", "z"], ["w_q"]),
        dequantize("w_q", "s", "z"),
        helper.make_node("Conv", ["x", "w_q_real"], ["y"]),
    ]
    stored = [
        tensor("w", np.ones((2, 1, 1, 1), np.float32)),
        tensor("s", np.float32(0.25)),
        tensor("z", np.uint8(128)),
    ]
    source = model(tmp_path / "a.onnx", nodes, stored)
    assert source.names == ("w", "s", "z")
    assert source.info("w").qparams.words == "scale 0.25, zero point 128"
    assert source.info("w").qparams.ends == (0, 255) and source.info("w").role == "weight"


def test_parameters_that_do_not_fit_are_told(tmp_path):
    stored = [tensor("w", np.ones((2, 3), np.int8)), tensor("s", np.ones(5, np.float32))]
    stored += [tensor("v", np.ones(2, np.int8)), tensor("t", np.float32(0))]
    source = model(tmp_path / "a.onnx", [dequantize("w", "s"), dequantize("v", "t")], stored)
    assert source["w"].tolist() == [[1, 1, 1]] * 2
    assert "does not fit its tensor" in source.skipped["w (dequantized)"]
    assert "not a positive number" in source.skipped["v (dequantized)"]


def test_what_cannot_be_read_is_skipped_by_name(tmp_path):
    sparse = helper.make_sparse_tensor(
        tensor("sparse", np.ones(1, np.float32)), tensor("i", np.array([3])), [9]
    )
    graph = helper.make_graph(
        [], "g", [], [],
        [tensor("w", np.ones(1)), helper.make_tensor("words", TensorProto.STRING, [1], ["a"])],
        sparse_initializer=[sparse],
    )  # fmt: skip
    odd = graph.initializer.add(name="odd", data_type=24, dims=[2], raw_data=b"ab")
    assert odd.name == "odd"
    onnx.save(helper.make_model(graph), tmp_path / "a.onnx")
    source = open_file(tmp_path / "a.onnx")
    assert source.names == ("w",)
    assert source.skipped == {
        "words": "Text has no range. (L10)",
        "odd": "Type float8_e8m0fnu cannot be read. (L12)",
        "sparse": "A sparse tensor is not read. (L07)",
    }


def test_a_model_is_listed_without_onnx_and_torch(tmp_path):
    model(tmp_path / "a.onnx", initializers=[tensor("w", np.ones(3, np.float32))])
    program = (
        "import sys; from qviz.sources.base import open_file; s = open_file(sys.argv[1]);"
        "print(s['w'].sum(), 'onnx' in sys.modules, 'torch' in sys.modules)"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "a.onnx")]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["3.0", "False", "False"]


def test_reading_one_tensor_costs_no_memory(tmp_path):
    x = np.zeros(2**24, np.float32)  # 64 MiB
    x[-1] = 2.5
    model(tmp_path / "a.onnx", initializers=[tensor("x", x), tensor("y", x)])
    kibibytes, total, torch = cost_of_reading(tmp_path / "a.onnx", "x")
    assert (total, torch) == (2.5, False)
    assert kibibytes < 16 * 1024


def test_two_constants_of_one_name_are_refused(tmp_path):
    w = tensor("w", np.ones(2, np.float32))
    constant = helper.make_node("Constant", [], ["w"], value=w)
    for nodes, stored in (([], [w, w]), ([constant], [w]), ([constant, constant], [])):
        with pytest.raises(RefusedFile, match="stores w twice") as refusal:
            model(tmp_path / "a.onnx", nodes, stored)
        assert refusal.value.code == "L15"
    unnamed = [tensor("", [1.0]), tensor("", [2.0])]
    assert len(model(tmp_path / "a.onnx", initializers=unnamed).names) == 2


def test_a_model_without_tensors_is_refused(tmp_path):
    with pytest.raises(RefusedFile, match="holds no tensor") as caught:
        model(tmp_path / "a.onnx", [helper.make_node("Relu", ["x"], ["y"])])
    assert caught.value.code == "L15"
