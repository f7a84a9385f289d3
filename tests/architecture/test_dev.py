"""dev.py installs when it must, and only then, and says in words what went wrong."""

import subprocess
import sys

import pytest

import dev
from tests import side_by_side
from tests.browser.serving import ROOT


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A project folder of its own; the list holds the commands that dev.py would run."""
    venv, calls = tmp_path / ".venv", []
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "VENV", venv)
    monkeypatch.setattr(dev, "BIN", venv / "bin")
    monkeypatch.setattr(dev, "PYTHON", str(venv / "bin/python"))
    (tmp_path / dev.RUN).write_text("numpy\n")
    (tmp_path / dev.DEV).write_text("pytest\n")

    def call(what, *words):
        calls.append(words)
        if "venv" in words:
            (venv / "bin").mkdir(parents=True)
            (venv / "bin/python").touch()
            if "--without-pip" not in words:
                (venv / "bin/pip3").touch()

    monkeypatch.setattr(dev, "call", call)
    return calls


def test_first_time_makes_the_venv_and_installs(made):
    dev.install(dev.RUN, dev.DEV)
    venv, pip = made
    assert venv == (sys.executable, "-m", "venv", "--clear", str(dev.VENV))
    assert pip[:4] == (dev.PYTHON, "-m", "pip", "install")
    assert pip[-4:] == ("-r", dev.RUN, "-r", dev.DEV)


def test_second_time_does_nothing(made):
    dev.install(dev.RUN, dev.DEV)
    made.clear()
    dev.install(dev.RUN, dev.DEV)
    dev.install(dev.RUN)
    assert made == []


def test_a_changed_list_installs_again(made):
    dev.install(dev.RUN, dev.DEV)
    made.clear()
    (dev.ROOT / dev.DEV).write_text("pytest\nruff\n")
    dev.install(dev.RUN)
    assert made == []
    dev.install(dev.RUN, dev.DEV)
    assert len(made) == 1


def test_an_install_that_failed_is_tried_again(made, monkeypatch):
    works = dev.call

    def fails(what, *words):
        works(what, *words)
        if "install" in words:
            raise dev.Failed("pip ended with status 1.")

    monkeypatch.setattr(dev, "call", fails)
    with pytest.raises(dev.Failed):
        dev.install(dev.RUN)
    monkeypatch.setattr(dev, "call", works)
    made.clear()
    dev.install(dev.RUN)
    assert [words[-2:] for words in made] == [("-r", dev.RUN)]


def test_without_ensurepip_the_pip_of_this_python_installs(made, monkeypatch):
    monkeypatch.setattr(dev, "has", lambda module: module == "pip")
    dev.install(dev.RUN)
    venv, pip = made
    assert "--without-pip" in venv
    assert pip[:6] == (sys.executable, "-m", "pip", "--python", dev.PYTHON, "install")


def test_without_any_pip_it_says_so(made, monkeypatch):
    monkeypatch.setattr(dev, "has", lambda module: False)
    with pytest.raises(dev.Failed, match="no pip"):
        dev.install(dev.RUN)
    assert made == []


def test_call_passes_the_status_on():
    with pytest.raises(dev.Failed, match="It ended with status 3") as failed:
        dev.call("It", sys.executable, "-c", "raise SystemExit(3)")
    assert failed.value.status == 3


def test_call_of_a_missing_program():
    with pytest.raises(dev.Failed, match="Nothing could not be started"):
        dev.call("Nothing", str(ROOT / "no-such-program"))


def test_lint_runs_every_tool_and_names_those_that_complain(made, monkeypatch):
    ran = []

    def call(what, *words):
        ran.append(what)
        if what in ("ruff check", "pyright"):
            raise dev.Failed(what)

    monkeypatch.setattr(dev, "install", lambda *lists: None)
    monkeypatch.setattr(dev, "call", call)
    with pytest.raises(dev.Failed, match="ruff check, pyright"):
        dev.lint(None, [])
    assert ran == ["ruff check", "ruff format --check", "lint-imports --no-logo", "pyright"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), ["-m", "tests.side_by_side"]),
        (("--fast",), ["-m", "pytest", "-m", "not slow and not browser", "--ignore=tests/browser"]),
        (("tests/unit", "-k", "a or b"), ["-m", "pytest", "tests/unit", "-k", "a or b"]),
    ],
)
def test_arguments_reach_pytest(made, monkeypatch, words, expected):
    monkeypatch.setattr(dev, "install", lambda *lists: None)
    monkeypatch.setattr(sys, "argv", ["dev.py", "test", *words])
    assert dev.main() == 0
    assert made == [(dev.PYTHON, *expected)]


def test_help_names_every_command():
    ended = subprocess.run(
        [sys.executable, str(ROOT / "dev.py"), "--help"], capture_output=True, text=True, check=True
    )
    commands = "setup run test lint fmt check golden bench screenshots"
    for command in commands.split():
        assert f"    {command}" in ended.stdout


def test_an_unknown_argument_is_refused(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["dev.py", "lint", "--fats"])
    with pytest.raises(SystemExit) as refused:
        dev.main()
    assert refused.value.code == 2
    assert "--fats" in capsys.readouterr().err


def test_two_runs_side_by_side_show_both_and_give_the_worst_status(capfd):
    says = [[sys.executable, "-c", f"print({n}); raise SystemExit({n})"] for n in (0, 0, 5)]
    assert side_by_side.side_by_side(says[:2]) == 0
    assert capfd.readouterr().out.split() == ["0", "0"]
    assert side_by_side.side_by_side(says) == 5
    assert capfd.readouterr().out.split() == ["0", "0", "5"]


def test_the_two_parts_of_the_run_hold_every_test():
    rest, app = side_by_side.PARTS
    assert [word.removeprefix("--ignore=") for word in rest] == app
    assert all((ROOT / folder).is_dir() for folder in app)
