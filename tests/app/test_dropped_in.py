"""A module dropped into the folder of observers is known everywhere, without another edit."""

import importlib
import sys

import pytest

import qviz.observers
from qviz.cli.main import main
from qviz.observers.base import OBSERVERS
from tests.app.reading import npy, sample, table

MODULE = '''
from dataclasses import dataclass

from qviz.observers.base import OBSERVERS, Observer
from qviz.registry import Source, knob
from qviz.spec import Range
from qviz.stats.minmax import MinMax


@OBSERVERS.register("part", title="Part of MinMax", source=Source("a test", "1", "1"))
@dataclass(frozen=True)
class Part(Observer):
    """A share of both extremes."""

    share: float = knob(0.5, low=0.1, high=1.0, help="share of the extremes that is kept")

    @property
    def needs(self):
        return (MinMax(),)

    def range(self, seen, target):
        return Range(seen[MinMax()].lo * self.share, seen[MinMax()].hi * self.share)
'''


@pytest.fixture
def dropped(tmp_path, monkeypatch):
    (tmp_path / "part.py").write_text(MODULE)
    assert "part" not in OBSERVERS
    monkeypatch.setattr(qviz.observers, "__path__", [*qviz.observers.__path__, str(tmp_path)])
    monkeypatch.setattr(OBSERVERS, "_loaded", False)
    importlib.invalidate_caches()
    yield
    OBSERVERS._entries.pop("part", None)
    OBSERVERS._presets.pop("part", None)
    sys.modules.pop("qviz.observers.part", None)
    vars(qviz.observers).pop("part", None)


def test_registry(dropped):
    assert OBSERVERS.make("part:share=0.25").share == 0.25


def test_command(dropped, tmp_path, capsys):
    (tmp_path / "x.npy").write_bytes(npy(sample("teaching::relu")))
    assert main(["compare", str(tmp_path / "x.npy")]) == 0
    assert "part " in capsys.readouterr().out


def test_page(dropped, open_app):
    at = open_app(tensor="teaching::relu", add="part:share=0.25")
    upper = float(sample("teaching::relu").max())
    assert table(at).loc["Part of MinMax", "Upper"] == pytest.approx(upper / 2)
    assert table(at).loc["Part of MinMax share 0.25", "Upper"] == pytest.approx(upper / 4)
    at.selectbox(key="rule").set_value("part").run()
    assert at.slider(key="knob-part-share").value == 0.5


def test_it_is_gone_again():
    assert "part" not in OBSERVERS
