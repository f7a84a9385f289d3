"""The command that lists every member, and the document it keeps."""

import json

import pytest

from qviz.cli import catalogue
from qviz.cli.main import main
from qviz.observers.base import OBSERVERS


def test_the_document_is_up_to_date(capsys):
    assert main(["catalogue", "--check"]) == 0
    assert capsys.readouterr().out == "docs/catalogue.md is up to date.\n"


@pytest.mark.parametrize("text", ["# Catalogue\n", None])
def test_an_old_or_missing_document_is_noticed(text, tmp_path, monkeypatch, capsys):
    document = tmp_path / "catalogue.md"
    if text is not None:
        document.write_text(text, encoding="utf-8")
    monkeypatch.setattr(catalogue, "DOCUMENT", document)
    assert main(["catalogue", "--check"]) == 1
    assert "out of date: python -m qviz catalogue --markdown" in capsys.readouterr().out


def test_markdown_is_what_the_document_holds(tmp_path, monkeypatch, capsys):
    assert main(["catalogue", "--markdown"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# Catalogue\n") and text.endswith("\n")
    document = tmp_path / "catalogue.md"
    document.write_text(text, encoding="utf-8")
    monkeypatch.setattr(catalogue, "DOCUMENT", document)
    assert main(["catalogue", "--check"]) == 0


def test_json_is_for_programs(capsys):
    assert main(["catalogue", "--json"]) == 0
    items = {item["name"]: item for item in json.loads(capsys.readouterr().out)}
    assert set(OBSERVERS) <= set(items)
    entropy = items["ort.entropy"]
    assert entropy["source"]["version"] == "1.32.0" and "128" in entropy["differs"]
    assert [knob["name"] for knob in entropy["knobs"]] == ["num_bins", "num_quantized_bins"]


def test_the_table_has_a_line_for_each(capsys):
    assert main(["catalogue"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["kind", "name", "title", "precision", "source"]
    assert any(line.split()[:2] == ["observer", "ort.entropy"] for line in lines)


def test_one_form_at_a_time(capsys):
    assert main(["catalogue", "--json", "--check"]) == 2
    assert "not allowed with argument" in capsys.readouterr().err
