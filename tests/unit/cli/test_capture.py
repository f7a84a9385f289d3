"""What a model is run on, as options of the commands that run one."""

import argparse
from pathlib import Path

import pytest

from qviz.cli.capture import add_options, asked
from qviz.cli.main import main
from qviz.errors import QvizError
from qviz.models.feeds import Feeds


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
