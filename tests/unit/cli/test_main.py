"""The parser, its mistakes, and how a run ends."""

import subprocess
import sys

import numpy as np
import pytest

import qviz
from qviz.cli.main import main
from tests.browser.serving import ROOT


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, a=np.linspace(-1, 1, 9, dtype=np.float32), b=np.float32(3))
    return str(path)


MISTAKES = {
    "no command": ([], "No command was given"),
    "unknown command": (["compar"], "invalid choice"),
    "no file named": (["compare"], "required: FILE"),
    "unknown option": (["compare", "{file}", "--bit", "8"], "Unrecognized arguments: --bit 8"),
    "bits in words": (["compare", "{file}", "--bits", "eight"], "'eight' is not a whole number"),
    "too many bits": (["compare", "{file}", "--bits", "99"], "99 bits are not offered"),
    "one end": (["compare", "{file}", "--quant-min", "0"], "one end of the code range"),
    "missing file": (["compare", "none.npy"], "none.npy is not a file"),
    "missing tensor": (["compare", "{file}::z"], "has no tensor 'z'"),
    "unknown observer": (["compare", "{file}", "--observers", "minmx"], "Did you mean minmax"),
    "unknown mode": (["compare", "{file}", "--mode", "affin"], "No mode is called 'affin'"),
    "unknown metric": (["compare", "{file}", "--sort", "sqrn"], "No metric is called 'sqrn'"),
    "two granularities": (["compare", "{file}", "--per-token", "--axis", "0"], "--per-token goes"),
    "no such axis": (["compare", "{file}::a", "--axis", "3"], "Axis 3 does not exist"),
    "no such axis of any": (["compare", "{file}", "--axis", "3"], "Axis 3 does not exist"),
    "no such channels": (["compare", "{file}::a", "--channel-axis", "1"], "Axis 1 does not exist"),
    "odd group": (["compare", "{file}::a", "--group", "4"], "do not divide axis 0"),
    "no such batch axis": (["compare", "{file}::a", "--batch-axis", "5"], "Batch axis 5"),
    "unknown job": (["bench", "engin"], "No job is called 'engin'"),
    "no elements": (["bench", "engine", "--n", "0"], "'0' is not a whole number above 0"),
    "unknown distribution": (["bench", "engine", "--n", "9", "--dist", "x"], "No distribution"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_and_status_2(case, file, capsys):
    words, says = MISTAKES[case]
    assert main([word.replace("{file}", file) for word in words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    ends = ("(L00)\n",) if case == "missing file" else (".\n", "?\n")
    assert told.err.startswith("qviz: ") and told.err.endswith(ends)
    assert told.err.count("\n") == 1
    assert says in told.err


def test_a_refusal_ends_with_its_code(tmp_path, capsys):
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00\x02\x00{}")
    (tmp_path / "old.gguf").write_bytes(b"GGUF" + bytes(40))
    for name, code in (("bad.npy", "L09"), ("old.gguf", "L16")):
        assert main(["list", str(tmp_path / name)]) == 2
        assert capsys.readouterr().err.endswith(f". ({code})\n")


def test_a_name_that_came_with_the_file_is_not_obeyed(tmp_path, capsys):
    assert main(["compare", "a\x1b[31m\nb.npy"]) == 2
    told = capsys.readouterr().err
    assert "\x1b" not in told and told.count("\n") == 1


def test_help_of_each_command(capsys):
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    for command in ("compare", "samples", "bench"):
        assert command in listed
        assert main([command, "--help"]) == 0
        assert capsys.readouterr().out.startswith(f"usage: qviz {command}")


def test_version_names_all_and_loads_none():
    code = (
        "import sys; from qviz.cli.main import main; main(['--version']);"
        "print(sorted({'torch', 'streamlit', 'plotly', 'pandas', 'onnx'} & set(sys.modules)))"
    )
    lines = run("-c", code).stdout.splitlines()
    named = dict(line.split(maxsplit=1) for line in lines[:-1])
    assert named["qviz"] == qviz.__version__
    assert named["numpy"] == np.__version__
    assert set(named) >= {"python", "torch", "streamlit", "plotly", "pandas", "safetensors"}
    assert set(named) >= {"onnx", "onnxruntime"}
    assert lines[-1] == "[]"


def test_a_missing_package_is_said_so(monkeypatch, capsys):
    monkeypatch.setattr("qviz.cli.versions.PACKAGES", ("surely-not-installed",))
    assert main(["--version"]) == 0
    assert "surely-not-installed not installed" in capsys.readouterr().out


def test_samples_are_listed(capsys):
    assert main(["samples"]) == 0
    listed = capsys.readouterr().out
    assert "sample:constant" in listed
    assert "sample:teaching.npz::relu" in listed
    assert "sample:digits_cnn.pt" in listed


def test_stopped_by_hand(monkeypatch, file, capsys):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("qviz.cli.compare.opened", stop)
    assert main(["compare", file]) == 130
    assert capsys.readouterr().err == "qviz: stopped.\n"


def test_a_reader_that_leaves_early_is_no_error(file):
    words = f"{sys.executable} -m qviz samples | true; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(
        ["bash", "-c", words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "0\n"
    assert ended.stderr == ""


def test_a_terminal_without_unicode_gets_a_substitute(file):
    code = "from qviz.cli.main import main; import sys; sys.exit(main(['samples']))"
    ended = run("-c", code, env={"PYTHONIOENCODING": "ascii", "PATH": ""})
    assert ended.returncode == 0
    assert "sample:constant" in ended.stdout


def run(*words, env=None):
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False, env=env
    )
