import json
import re

import numpy as np
import pytest

from qviz.cli import within
from qviz.cli.inputs import FOLDER
from qviz.cli.main import main
from qviz.doctor import RULES
from tests.unit.models.graphs import node, value, written

LOUD = "sample:outlier_channel"


def ran(capsys, *words):
    status = main(["doctor", *map(str, words)])
    return status, capsys.readouterr().out


def rows(capsys, *words):
    status, out = ran(capsys, *words, "--json")
    return status, json.loads(out)


def saved(tmp_path, name, x):
    np.save(tmp_path / name, x)
    return tmp_path / name


def test_a_loud_channel_is_told_with_its_way_out(capsys):
    status, out = ran(capsys, LOUD, "--signed", "--symmetric")
    assert status == 1
    lines = out.splitlines()
    assert lines[0] == f"outlier_channel: 1 of {len(RULES)} rules found something"
    assert lines[1].split()[:2] == ["high", "OUTLIER-CHANNEL:"]
    assert "+ 9.4 dB at quiet channels: give each token" in lines[2]


def test_json_holds_rule_severity_message_evidence_and_fixes(capsys):
    status, found = rows(capsys, LOUD, "--signed", "--symmetric")
    assert status == 1
    (one,) = found
    assert {"tensor", "rule", "severity", "message", "evidence", "fixes"} <= set(one)
    assert one["evidence"]["channels"] == [7] and one["tensor"] == "outlier_channel"
    assert {"action", "gain_db"} <= set(one["fixes"][0])
    assert one["fixes"][0]["gain_db"] == pytest.approx(17.6 - 8.2, abs=0.1)


def test_the_level_decides_the_status(capsys):
    for level, status in (("medium", 1), ("high", 0)):
        words = ("sample:softmax", "--signed", "--symmetric", "--fail-on", level)
        assert ran(capsys, *words)[0] == status
    assert ran(capsys, "sample:relu")[0] == 0
    assert ran(capsys, "sample:gelu_tail", "--fail-on", "note")[0] == 1
    assert f"nothing wrong, {len(RULES)} rules looked\n" in ran(capsys, "sample:relu")[1]


def test_all_tensors_of_a_file_worst_first(capsys, tmp_path):
    rng = np.random.default_rng(0)
    bad = rng.standard_normal((32, 64))
    bad[3, 3] = np.inf
    np.savez(
        tmp_path / "m.npz",
        **{"a.weight": rng.standard_normal((32, 64)), "b.weight": bad},
        **{"norm.weight": 100 + rng.standard_normal(64), "count": np.arange(5)},
    )
    status, out = ran(capsys, tmp_path / "m.npz")
    heads = [line.split(":")[0] for line in out.splitlines() if not line.startswith(" ")]
    assert status == 1 and heads[0] == "b.weight" and set(heads[1:]) == {"a.weight", "norm.weight"}
    wide = "a vector, which stays wide in a model: only looked for what is not finite"
    assert f"norm.weight: {wide}, found none" in out.splitlines()
    _, found = rows(capsys, f"{tmp_path / 'm.npz'}::norm.weight")
    assert found[0]["rule"] == "RANGE-FAR-FROM-ZERO"


def test_rules_that_could_not_look_are_not_counted_and_say_why(capsys, tmp_path):
    file = saved(tmp_path, "q.npy", np.arange(-100, 100, dtype=np.int8))
    _, out = ran(capsys, file)
    head, *lines = out.splitlines()
    looked = int(re.fullmatch(r"q: nothing wrong, (\d+) rules? looked", head)[1])
    skipped = [re.fullmatch(r"  skipped   (.*): [A-Z].*\.", line)[1] for line in lines]
    counts = [int(who.split()[0]) if " rules" in who else who.count(",") + 1 for who in skipped]
    assert any("There are no values." in line for line in lines)
    assert 0 < looked < len(RULES) == looked + sum(counts)


def test_a_setting_that_cannot_serve_is_refused(capsys, tmp_path):
    wide = saved(tmp_path, "w.npy", np.random.default_rng(0).standard_normal((8, 16), np.float32))
    for words, reason in (
        (("--mode", "torch.per_channel_affine"), "w cannot be examined so: PyTorch has this"),
        (("--observer", "torch.per_channel_minmax"), "choose per channel. Choose another"),
        (("--range", "-1e300", "1e300"), "It overflows float32."),
        (("--axis", "2"), "Axis 2 does not exist in a tensor of shape (8, 16)."),
        (("--axis", "-3"), "Use 0 to 1."),
        (("--axis", "1", "--batch-axis", "0"), "Axis 1 does not exist in a tensor of shape (16,)."),
    ):
        assert main(["doctor", str(wide), *words]) == 2
        said = capsys.readouterr()
        assert said.out == "" and reason in said.err


def test_a_refusal_that_a_finding_explains_is_told_beside_it(capsys, tmp_path):
    x = np.random.default_rng(0).standard_normal(500)
    x[3] = np.nan
    status, out = ran(capsys, saved(tmp_path, "x.npy", x), "--observer", "torch.histogram")
    assert "NON-FINITE" in out and "  refused   PyTorch's HistogramObserver refuses" in out
    assert "nothing wrong" not in out
    file = saved(tmp_path, "y.npy", np.ones(500))
    status, found = rows(capsys, file, "--mode", "nvidia.amax")
    assert status == 1 and found[0]["rule"] == "TARGET-SYMMETRIC-ONLY"


def test_of_several_tensors_one_may_lack_the_axis_or_refuse_it(capsys, tmp_path):
    x = np.random.default_rng(0).standard_normal((4, 5, 16))
    file = tmp_path / "m.npz"
    np.savez(file, cube=x, square=x[0])
    said = "Axis 2 does not exist in a tensor of shape (5, 16). It has one range."
    status, out = ran(capsys, file, "--axis", 2)
    assert status == 0 and f"  axis      {said}\n" in out + "\n" and out.count("  axis") == 1
    words = ("doctor", str(file), "--axis", "2", "--json")
    assert main(words) == 0
    both = capsys.readouterr()
    assert json.loads(both.out) == [] and both.err == f"qviz: square: {said}\n"
    _, out = ran(capsys, file, "--axis", 2, "--mode", "torch.per_channel_affine")
    assert "cube: nothing wrong" in out and "tensor. (1 of 2 tensors)" in out
    assert "square: not examined\n  refused   PyTorch has this scheme per channel only." in out
    assert main(["doctor", str(file), "--mode", "torch.per_channel_affine"]) == 2
    assert "cube cannot be examined so" in capsys.readouterr().err


@pytest.mark.parametrize("mode", ["tf.fake_quant", "affine", "mindspore.default@gpu"])
@pytest.mark.parametrize("value", [0, 1e-45, 1e-310, 1.7e308])
def test_the_ends_of_floats_are_no_crash(capsys, tmp_path, mode, value):
    file = saved(tmp_path, "x.npy", value * np.array([[-1.0, 1.0, 0.5], [0.0, 1.0, -1.0]]))
    assert ran(capsys, file, "--mode", mode)[0] in (0, 1)


def test_a_range_as_wide_as_float64_is_no_crash(capsys, tmp_path):
    file = saved(tmp_path, "x.npy", np.linspace(-1, 1, 100))
    assert ran(capsys, file, "--range", "-1e308", "1e308")[0] in (0, 1)


def test_a_range_a_mode_and_qparams_by_hand(capsys, tmp_path):
    file = saved(tmp_path, "x.npy", np.random.default_rng(0).uniform(-1, 1, 5000))
    assert rows(capsys, file, "--range", -1, 0)[1][0]["rule"] == "ZP-AT-EDGE"
    words = ("--scale", 0.01, "--zero-point", 255, "--quant-min", 0, "--quant-max", 255)
    assert "ZP-AT-EDGE" in {row["rule"] for row in rows(capsys, file, *words)[1]}
    moved = saved(tmp_path, "far.npy", np.random.default_rng(0).uniform(2, 3, 5000))
    found = rows(capsys, moved, "--mode", "tf.fake_quant")[1]
    assert "NUDGE-MOVED-WINDOW" in {row["rule"] for row in found}
    diverged = rows(capsys, file, "--scale", "-0.01")[1]
    assert diverged[0]["rule"] == "LEARNED-SCALE-DIVERGED"


def test_codes_of_a_file(capsys, tmp_path):
    q = np.where(np.random.default_rng(0).uniform(size=900) > 0.5, 127, -128).astype(np.int8)
    status, found = rows(capsys, saved(tmp_path, "q.npy", q), "--scale", 0.1)
    assert (status, [row["rule"] for row in found]) == (1, ["SATURATED-CODES"])


def test_a_bias_with_its_input_scale(capsys, tmp_path):
    w = np.stack([np.full(16, 1e-7), np.linspace(-1, 1, 16)]).astype(np.float32)
    files = saved(tmp_path, "w.npy", w), saved(tmp_path, "b.npy", np.array([5.0, -4.5]))
    words = (files[0], "--signed", "--symmetric", "--bias", files[1], "--input-scale", 0.5)
    own = rows(capsys, *words, "--axis", 0)[1]
    shared = rows(capsys, *words)[1]
    assert [r["evidence"]["channels"] for r in own if r["rule"] == "BIAS-OVERFLOW"] == [[0]]
    assert "BIAS-OVERFLOW" not in {row["rule"] for row in shared}


def test_batches_along_an_axis(capsys, tmp_path):
    x = np.random.default_rng(0).standard_normal((2, 1000))
    x[0] *= 1e-4
    found = rows(capsys, saved(tmp_path, "x.npy", x), "--batch-axis", 0)[1]
    assert found[0]["rule"] == "RANGE-JUMP" and found[0]["evidence"]["batch"] == 1


def test_mistakes_are_told(capsys):
    for words, reason in (((), "nothing to examine"), (("sample:nothing",), "No sample")):
        assert main(["doctor", *words]) == 2
        assert reason in capsys.readouterr().err


def test_the_rules_as_markdown(capsys):
    status, out = ran(capsys, "--rules")
    assert status == 0 and out.startswith("# Doctor\n") and "`POW2-WASTE`" in out


def test_the_fatal_layer_of_the_rescaled_twin_comes_first(capsys):
    file = FOLDER / "digits_cnn_rescaled.safetensors"
    status, found = rows(capsys, file, "--signed", "--symmetric")
    assert status == 1
    assert (found[0]["tensor"], found[0]["rule"]) == ("depthwise.weight", "MIXED-RANGES")
    assert found[0]["fixes"][0]["how"] == {"granularity": "per_channel:0"}
    assert found[0]["fixes"][0]["measured_at"] == "quiet channels"
    plain = rows(capsys, FOLDER / "digits_cnn.safetensors", "--signed", "--symmetric")[1]
    assert plain == []


def test_a_model_that_is_run_tells_gains_at_its_output(capsys):
    model, inputs = "sample:digits_cnn_rescaled.onnx", ("--inputs", "sample:digits_calib.npz")
    codes = ("--bits", 4, "--signed", "--symmetric")
    status, found = rows(capsys, f"{model}::relu", *codes, *inputs)
    assert status == 1 and found[0]["rule"] == "OUTLIER-CHANNEL"
    first = found[0]["fixes"][0]
    assert first["how"] == {"transform": "moved_factor"} and first["measured_at"] == "output"
    assert first["gain_db"] > 15 and first["accuracy"] > 0.95
    assert [way["how"] for way in found[0]["analysis"]] == [{"granularity": "per_channel:1"}]
    _, out = ran(capsys, f"{model}::relu", *codes, *inputs)
    assert re.search(r"\+ \d\d\.\d dB at output, 9\d\.\d% right: move a factor", out)
    assert out.count("for analysis only") == 1
    assert re.search(r"found something; -?\d\.\d dB and 15\.\d% right at the output right now", out)


def test_inputs_are_for_models_alone(capsys, tmp_path):
    for word in (tmp_path / "nowhere.onnx", saved(tmp_path, "x.npy", np.ones(4))):
        assert main(["doctor", str(word), "--inputs", "sample:digits_calib.npz"]) == 2
        assert capsys.readouterr().err.startswith("qviz: ")


def test_the_model_runs_no_longer_than_it_may(capsys, monkeypatch):
    monkeypatch.setattr(within, "SECONDS", 0.0)
    words = ("sample:digits_cnn_rescaled.onnx::relu", "--inputs", "sample:digits_calib.npz")
    status = main(["doctor", *words, "--bits", "4", "--signed", "--symmetric", "--json"])
    out, err = capsys.readouterr()
    assert status == 1 and "qviz: relu: after 120 s the model runs no more" in err
    assert {fix["measured_at"] for fix in json.loads(out)[0]["fixes"]} == {"quiet channels"}


def test_channels_of_a_weight_lie_where_the_graph_says(capsys, tmp_path):
    """Rows of a matrix that x is multiplied with are added up: a step for each cannot be."""
    w = np.random.default_rng(0).standard_normal((48, 32)).astype(np.float32)
    w[5] *= 100
    w[:, 7] *= 30
    path = written(
        tmp_path / "m.onnx", [node("MatMul", "x w", "y")], [value("x", [4, 48])], ["y"], w=w
    )
    _, found = rows(capsys, f"{path}::w", "--signed", "--symmetric")
    ways = [fix["how"].get("granularity", "") for row in found for fix in row["fixes"]]
    assert "per_channel:1" in ways and "per_channel:0" not in ways
