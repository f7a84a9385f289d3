import sys

import numpy as np
import pytest

from qviz.errors import RefusedFile
from qviz.sources.base import open_file

HEAD = b"\x1c\x00\x00\x00TFL3" + bytes(100)


def test_without_the_package_a_model_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tflite", None)
    (tmp_path / "a.tflite").write_bytes(HEAD)
    with pytest.raises(RefusedFile, match="tflite package, which is not installed") as caught:
        open_file(tmp_path / "a.tflite")
    assert caught.value.code == "L24" and "pip install tflite" in caught.value.do


@pytest.fixture
def tflite():
    return pytest.importorskip("tflite", reason="the optional tflite package is not installed")


def vector(builder, start, add, values):
    start(builder, len(values))
    for value in reversed(values):
        add(value)
    return builder.EndVector()


def quantization(t, b, scales, zeros, axis):
    s = b.CreateNumpyVector(np.array(scales, np.float32))
    z = b.CreateNumpyVector(np.array(zeros, np.int64))
    t.QuantizationParametersStart(b)
    t.QuantizationParametersAddScale(b, s)
    t.QuantizationParametersAddZeroPoint(b, z)
    t.QuantizationParametersAddQuantizedDimension(b, axis)
    return t.QuantizationParametersEnd(b)


def buffer(t, b, raw):
    data = b.CreateByteVector(raw)
    t.BufferStart(b)
    t.BufferAddData(b, data)
    return t.BufferEnd(b)


def tensor(t, b, at, name, kind, shape, stored):
    scaling = quantization(t, b, *stored) if stored else None
    text, extents = b.CreateString(name), b.CreateNumpyVector(np.array(shape, np.int32))
    t.TensorStart(b)
    t.TensorAddShape(b, extents)
    t.TensorAddType(b, kind)
    t.TensorAddBuffer(b, at)
    t.TensorAddName(b, text)
    if scaling:
        t.TensorAddQuantization(b, scaling)
    return t.TensorEnd(b)


def graph(t, b, tensors, inputs):
    """A subgraph with one operation, a convolution."""
    fed = b.CreateNumpyVector(np.array(inputs, np.int32))
    t.OperatorStart(b)
    t.OperatorAddInputs(b, fed)
    operators = vector(
        b, t.SubGraphStartOperatorsVector, b.PrependUOffsetTRelative, [t.OperatorEnd(b)]
    )
    t.SubGraphStart(b)
    t.SubGraphAddTensors(b, tensors)
    t.SubGraphAddOperators(b, operators)
    return t.SubGraphEnd(b)


def written(t, path, tensors, inputs=()):
    """A model of these tensors: (name, kind, shape, bytes, quantization or None)."""
    b = pytest.importorskip("flatbuffers").Builder(1024)
    add = b.PrependUOffsetTRelative
    buffers = [buffer(t, b, raw) for _, _, _, raw, _ in tensors]
    made = [tensor(t, b, at, *row[:3], row[4]) for at, row in enumerate(tensors)]
    listed = vector(b, t.SubGraphStartTensorsVector, add, made)
    graphs = vector(b, t.ModelStartSubgraphsVector, add, [graph(t, b, listed, inputs)])
    t.OperatorCodeStart(b)
    t.OperatorCodeAddDeprecatedBuiltinCode(b, 3)
    codes = vector(b, t.ModelStartOperatorCodesVector, add, [t.OperatorCodeEnd(b)])
    stored = vector(b, t.ModelStartBuffersVector, add, buffers)
    t.ModelStart(b)
    t.ModelAddVersion(b, 3)
    t.ModelAddOperatorCodes(b, codes)
    t.ModelAddSubgraphs(b, graphs)
    t.ModelAddBuffers(b, stored)
    b.Finish(t.ModelEnd(b), b"TFL3")
    path.write_bytes(bytes(b.Output()))
    return path


def test_weights_come_with_their_quantization(tflite, tmp_path):
    codes = np.array([[1, -2], [3, 4]], np.int8)
    tensors = [
        ("input", 0, (1, 2), b"", None),
        ("w", 9, (2, 2), codes.tobytes(), ([0.5, 2], [0, 1], 0)),
        ("b", 2, (2,), np.array([5, 6], np.int32).tobytes(), ([0.25], [0], 0)),
        ("plain", 0, (2,), np.array([1.5, -2], np.float32).tobytes(), None),
        ("four", 17, (3,), bytes([0x7F, 0x08]), None),
    ]
    source = open_file(written(tflite, tmp_path / "a.tflite", tensors, inputs=(0, 1, 2)))
    assert source.names == ("w", "w (dequantized)", "b", "b (dequantized)", "plain", "four")
    assert source["w"].tolist() == codes.tolist()
    assert source["w (dequantized)"].tolist() == [[0.5, -1], [4, 6]]
    assert source["b (dequantized)"].tolist() == [1.25, 1.5]
    assert source["plain"].tolist() == [1.5, -2]
    assert source["four"].tolist() == [-1, 7, -8] and source["four"].dtype == np.int8
    roles = {name: source.info(name).role for name in ("w", "b", "plain")}
    assert roles == {"w": "weight", "b": "bias", "plain": "unknown"}
    assert isinstance(source["w"].base, np.memmap)


def test_a_shape_that_its_bytes_do_not_hold_is_skipped(tflite, tmp_path):
    tensors = [("w", 0, (1000, 1000), bytes(8), None), ("good", 0, (2,), bytes(8), None)]
    source = open_file(written(tflite, tmp_path / "a.tflite", tensors))
    assert source.names == ("good",)
    assert source.skipped["w"] == "Its shape needs 4000000 bytes; 8 are there. (L24)"


def test_damaged_models_give_tensors_or_a_refusal(tflite, tmp_path):
    tensors = [("w", 9, (2, 2), bytes(4), ([0.5, 2], [0, 1], 0))]
    raw = written(tflite, tmp_path / "a.tflite", tensors, inputs=(0, 0)).read_bytes()
    rng, refused = np.random.default_rng(0), 0
    path = tmp_path / "b.tflite"
    for at in range(0, 200):
        bad = bytearray(raw if at % 2 else raw[: rng.integers(9, len(raw))])
        for place in rng.integers(8, len(bad), 3):
            bad[place] = rng.integers(256)
        path.write_bytes(bad)
        try:
            source = open_file(path)
            for name in source:
                source[name]
        except RefusedFile as error:
            assert error.code in ("L24", "L12", "L00")
            refused += 1
    assert refused > 50
