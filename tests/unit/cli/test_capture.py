"""What a model is run on, as options of the commands that run one; what is saved of it."""

import argparse
from pathlib import Path

import pytest

from qviz.cli import capture
from qviz.cli.capture import add_options, asked
from qviz.cli.main import main
from qviz.errors import QvizError
from qviz.models.feeds import Feeds
from qviz.models.limits import out_of_time
from qviz.sources.base import open_file


def options(*words):
    made = argparse.ArgumentParser()
    add_options(made)
    return made.parse_args(["m.onnx", *words])


def test_options_become_feeds_and_limits():
    path, feeds, limits = asked(options("--axis", "a b=3", "--axis", "x:0=2", "--seed", "5"))
    assert path == Path("m.onnx") and feeds == Feeds(axes={"a b": 3, "x:0": 2}, seed=5)
    assert (limits.memory, limits.seconds) == (4 * 2**30, 120)


def test_inputs_say_how_long_axes_are():
    given = options("--inputs", "x.npz", "--axis", "batch=8")
    with pytest.raises(QvizError, match="--batch sets the samples"):
        asked(given)


@pytest.mark.parametrize("command", ["capture", "layers", "alone", "replace"])
def test_every_command_that_runs_a_model_says_so(command, capsys):
    more = {"capture": ["--out", "c.npz"], "replace": ["--tensor", "relu"]}.get(command, [])
    words = ("sample:digits_cnn.onnx", "--inputs", "sample:digits_calib.npz", "--axis", "batch=8")
    assert main([command, *words, *more]) == 2
    error = capsys.readouterr().err
    assert "nothing to say beside --inputs" in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--memory", "inf"), "--memory inf is no limit"),
        (("--memory", "nan"), "--memory nan is no limit"),
        (("--seconds", "inf"), "--seconds inf is no limit"),
        (("--seconds", "-1"), "--seconds -1 is no limit"),
        (("--memory", "0.01"), "no room for the runtime in 0.01 GiB"),
    ],
)
@pytest.mark.parametrize("command", ["capture", "alone"])
def test_a_limit_that_is_none_ends_in_one_line(command, words, said, tmp_path, capsys):
    out = ["--out", str(tmp_path / "c.npz")] if command == "capture" else []
    assert main([command, "sample:digits_cnn.onnx", "--batches", "1", *words, *out]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.parametrize(("partly", "done"), [(True, 2), (True, 0), (False, 2)])
def test_the_batches_that_are_done_when_the_time_is_over_are_saved(
    partly, done, tmp_path, monkeypatch
):
    over = []

    def end(status):
        raise SystemExit(status)

    def tell(at, count):
        if at == done:  # as the clock does, in the middle of it
            over[0](out_of_time(9.0, at, count))
            end(2)

    monkeypatch.setattr(capture, "limit_this_process", lambda _, ended: over.append(ended))
    monkeypatch.setattr(capture, "tell", tell)
    monkeypatch.setattr(capture.os, "_exit", end)
    words = ["sample:digits_cnn.onnx", "--inputs", "sample:digits_calib.npz"]
    out = tmp_path / "c.npz"
    with pytest.raises(SystemExit) as ended:
        main(["capture", *words, "--out", str(out), *(["--partly"] if partly else [])])
    kept = partly and done > 0
    assert (ended.value.code, out.exists()) == ((0, True) if kept else (2, False))
    if kept:
        source = open_file(out)
        assert source.skipped["batches"] == "The time was over: 2 of 4 batches were run."
        assert source.info("relu").splits == (32, 32) and "fc1.weight" in source.names
