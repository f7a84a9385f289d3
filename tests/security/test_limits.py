"""Every hostile file, opened in a child with limits: refused, soon, with little memory."""

import json
import subprocess
import sys

import pytest
import torch

from tests.browser.serving import ROOT
from tests.security import hostile
from tests.security.builders import checkpoint, safetensors_bytes

SECONDS, MEMORY = 2.0, 400 * 2**20
WORDS_OF_FEAR = ("Traceback", "Error:", "Exception", " line ")


def opened(files):
    """What each file came to in the child."""
    child = subprocess.run(
        [sys.executable, "-m", "tests.security.child"],
        input=json.dumps([[str(path), shown] for _, shown, path in files.values()]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    lines = [json.loads(line) for line in child.stdout.splitlines()]
    return dict(zip(files, lines, strict=True))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """name -> what came of the file; each with the folder it lay in."""
    files = hostile.made(tmp_path_factory.mktemp("hostile"))
    said = opened(files)
    return {name: said[name] | {"folder": files[name][2].parent} for name in files}


@pytest.mark.parametrize("name", hostile.CASES)
def test_a_hostile_file_is_refused_in_words(outcomes, name):
    row, shown, _ = hostile.CASES[name]
    said = outcomes[name]
    assert (said["code"], said["raised"], said["names"]) == (row, "", [])
    assert all(part and len(part) < 400 for part in said["words"])
    assert shown in said["words"][0]
    text = " ".join(said["words"])
    assert str(said["folder"]) not in text
    assert not any(word in text for word in WORDS_OF_FEAR)


@pytest.mark.parametrize("name", hostile.PARTLY)
def test_what_is_good_in_a_file_opens(outcomes, name):
    row, _, _ = hostile.PARTLY[name]
    said = outcomes[name]
    assert (said["code"], said["raised"], said["names"]) == (None, "", ["good"])
    assert said["skipped"]["bad"].endswith(f"({row})")


@pytest.mark.parametrize("name", [*hostile.CASES, *hostile.PARTLY])
def test_it_takes_little_time_and_memory_and_runs_nothing(outcomes, name):
    said = outcomes[name]
    assert said["seconds"] <= SECONDS
    assert said["memory"] <= MEMORY
    assert not (said["folder"] / "executed").exists()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """104 tensors, 90 MB: a safetensors file of nothing but its header, and a checkpoint."""
    folder = tmp_path_factory.mktemp("large")
    step, header = 4 * 216_000, {}
    for n in range(104):
        place = [n * step, (n + 1) * step]
        header[f"layer.{n}.weight"] = {"dtype": "F32", "shape": [432, 500], "data_offsets": place}
    raw, path = safetensors_bytes(header, b""), folder / "a.safetensors"
    with path.open("wb") as stream:
        stream.write(raw)
        stream.truncate(len(raw) + 104 * step)
    state = {name: torch.zeros(432, 500) for name in header}
    return {"safetensors": path, "pt": checkpoint(folder / "a.pt", state)}


def test_a_checkpoint_is_listed_at_once_and_only_mapped(large):
    files = {kind: ("", path.name, path) for kind, path in large.items()}
    for path in large.values():
        assert path.stat().st_size > 89_000_000
    for said in opened(files).values():
        assert said["raised"] == "" and len(said["names"]) == 104
        assert said["seconds"] <= SECONDS
        assert said["memory"] <= 32 * 2**20  # each tensor was opened, none was copied


def test_the_cases_have_a_row_each():
    rows = {row for row, _, _ in (*hostile.CASES.values(), *hostile.PARTLY.values())}
    assert rows >= {f"L{n:02}" for n in range(14)} | {"L16"}
