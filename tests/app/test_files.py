"""Files a person opens: what is good is shown, what is bad is refused and not kept."""

import io
import pickle

import numpy as np
import pytest
import torch
from safetensors.numpy import save

from tests.app.reading import (
    caption,
    choose,
    chosen,
    expected,
    heading,
    kept,
    noise,
    npy,
    npz,
    table,
    upload,
    well,
    words,
)

X = noise(7, 48, 40)


def pt(content):
    stream = io.BytesIO()
    torch.save(content, stream)
    return stream.getvalue()


class Evil:
    def __reduce__(self):
        return print, ("this must never run",)


GOOD = {
    "mine.npy": (npy(X), "mine.npy"),
    "mine.npz": (npz(small=X[:2], large=X), "mine.npz::large"),
    "mine.safetensors": (save({"fc.bias": X[0], "fc.weight": X}), "mine.safetensors::fc.weight"),
    "mine.pt": (pt({"fc.weight": torch.from_numpy(X), "n": 3}), "mine.pt"),
    "no_extension": (npy(X), "no_extension"),
    "wrong.safetensors": (npy(X), "wrong.safetensors"),
}
BAD = {
    "damaged.npy": (npy(X)[:-200], "damaged.npy"),
    "evil.pt": (pt({"w": Evil()}), "evil.pt"),
    "evil.npy": (pickle.dumps(Evil()), "evil.npy"),
    "notes.npy": (b"Nothing but words.\n" * 9, "Its content was looked at"),
    "empty.npy": (b"", "It has 0 bytes"),
    "text.npz": (npz(names=np.array(["a", "b"])), "nothing to read"),
    "cut.safetensors": (save({"w": X})[:60], "cut.safetensors"),
}


@pytest.mark.parametrize("name", GOOD)
def test_an_opened_file_is_shown(open_app, name):
    content, tensor = GOOD[name]
    at = upload(open_app(), name, content)
    assert chosen(at) == tensor
    assert name in caption(at) and "48 × 40" in caption(at)
    shown = table(at)
    for row in expected(X).rows:
        assert shown.loc[row.title, "Lower"] == row.range.lo[0]
    assert len(kept(at)) == 1


@pytest.mark.parametrize("name", BAD)
def test_a_refused_file_leaves_nothing(open_app, name, capfd):
    content, says = BAD[name]
    at = upload(open_app(tensor="teaching::relu"), name, content)
    (box,) = at.error
    assert says in words(box.value) and words(box.value).count(". ") >= 1
    assert "Traceback" not in box.value and str(at.session_state["folder"].name) not in box.value
    assert chosen(at) == "teaching::relu" and "ReLU output" in caption(at)
    assert kept(at) == []
    assert "this must never run" not in capfd.readouterr().out
    assert not well(at.button(key="dismiss").click().run()).error


def test_a_refused_file_leaves_an_earlier_one_alone(open_app):
    at = upload(open_app(), "mine.npy", npy(X))
    before = table(at)
    upload(at, "empty.npy", b"")
    assert len(at.error) == 1
    assert chosen(at) == "mine.npy" and table(at).equals(before)
    assert len(kept(at)) == 1


def test_a_good_file_takes_the_box_of_a_bad_one_away(open_app):
    at = upload(open_app(), "empty.npy", b"")
    assert len(at.error) == 1
    upload(at, "mine.npy", npy(X))
    assert not at.error


def test_two_files_of_one_name_stand_side_by_side(open_app):
    at = upload(open_app(), "mine.npy", npy(X))
    upload(at, "mine.npy", npy(2 * X))
    assert chosen(at) == "mine.npy (2)"
    assert table(at).loc["MinMax", "Upper"] == 2 * X.max()
    choose(at, "mine.npy")
    assert table(at).loc["MinMax", "Upper"] == X.max()


@pytest.mark.parametrize(
    ("name", "content", "tensor"),
    [
        ("codes_int8.npy", npy(X), "codes_int8.npy"),
        ("teaching", npz(relu=X, other=X[:1]), "teaching::relu"),
        ("synthetic", npz(student_t=X, other=X[:1]), "synthetic::student_t"),
    ],
)
def test_a_file_named_like_a_sample_is_shown_and_stays_private(open_app, name, content, tensor):
    at = upload(open_app(), name, content)
    assert chosen(at) == tensor
    assert table(at).loc["MinMax", "Upper"] == X.max()
    assert at.query_params == {}


def test_tensors_whose_labels_would_be_alike_can_all_be_chosen(open_app):
    names = [f"{'a' * 60}{n}{'z' * 60}" for n in (1, 2, 3)]
    at = upload(open_app(), "long.npz", npz(**{n: (i + 1) * X for i, n in enumerate(names)}))
    options = at.selectbox(key="tensor").options
    assert len(set(options)) == len(options)
    for i, label in enumerate(options[:3]):
        at = well(at.selectbox(key="tensor").select(label).run())
        assert chosen(at) == f"long.npz::{names[i]}"
        assert table(at).loc["MinMax", "Upper"] == np.float32((i + 1) * X.max())


def test_the_name_of_a_file_never_reaches_the_address(open_app):
    at = open_app(tensor="teaching::relu", bits="4")
    upload(at, "secret.npz", npz(layer_one=X, layer_two=X[:4]))
    assert "secret" not in str(at.query_params) and "layer" not in str(at.query_params)
    choose(at, "secret.npz::layer_two")
    assert "secret" not in str(at.query_params) and "layer" not in str(at.query_params)
    choose(at, "teaching::relu")
    assert at.query_params["tensor"] == "teaching::relu"


ODD = {
    "a single value": (np.float32(3), "The only value is 3"),
    "no elements": (np.zeros((0, 5), np.float32), "This tensor has no values"),
    "nothing finite": (np.full((3, 4), np.nan, np.float32), "All 12 values are NaN or infinite"),
    "one value": (np.full((5, 5), -2.5, np.float32), "All 25 values are −2.5"),
    "switches": (np.array([[True, False]] * 4), ""),
    "float64 beyond float32": (np.array([1e300, -1e300, 1.0, 2.0]), ""),
    "subnormal": (np.array([1e-42, -1e-42], np.float32), ""),
    "bytes": (np.arange(256, dtype=np.uint8), "Every value is a level"),
    "complex": (np.ones((2, 3), np.complex64), "All 6 values are 1"),
}


@pytest.mark.parametrize("granularity", ["per_tensor", "per_channel", "per_token", "group_32"])
@pytest.mark.parametrize("case", ODD)
def test_odd_tensors_are_shown(open_app, case, granularity):
    x, says = ODD[case]
    at = upload(open_app(), "odd.npy", npy(x))
    assert says in heading(at)
    at = well(at.selectbox(key="granularity").set_value(granularity).run())
    assert len(at.error) <= 1
    assert at.error or heading(at)


def test_paths_open_files_of_the_open_folders_only(open_app, tmp_path, monkeypatch):
    monkeypatch.setenv("QVIZ_FOLDERS", str(tmp_path / "open"))
    (tmp_path / "open").mkdir()
    np.save(tmp_path / "open" / "mine.npy", X)
    np.save(tmp_path / "hidden.npy", X)
    at = open_app()
    at = well(at.text_input(key="path").set_value(str(tmp_path / "open" / "mine.npy")).run())
    assert chosen(at) == "mine.npy" and at.query_params == {}
    for path in (tmp_path / "hidden.npy", tmp_path / "open" / "none.npy", "a\x00b", "~nobody/x"):
        at = well(at.text_input(key="path").set_value(str(path)).run())
        (box,) = at.error
        assert "hidden" not in box.value
        assert chosen(at) == "mine.npy"
