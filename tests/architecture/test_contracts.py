"""Each import contract breaks when a small stand-in for the package violates it."""

import shutil

import pytest

from tests.architecture.imports import broken_contracts
from tests.browser.serving import ROOT

STAND_IN = {  # module -> what it may import
    "__init__": "",
    "__main__": "import qviz.cli",
    "ui/__init__": "import streamlit",
    "ui/state": "import plotly, pandas, streamlit.runtime",
    "ui/device": "import torch",
    "cli/__init__": "import qviz.api",
    "api": "import qviz.bench, plotly.graph_objects, pandas",
    "bench/__init__": "import torch",
    "golden/__init__": "import qviz.pipeline, torch",
    "figures/__init__": "import qviz.pipeline",
    "pipeline": "import qviz.dialects.pytorch, qviz.sources",
    "dialects/__init__": "",
    "dialects/pytorch/__init__": "from qviz.dialects.pytorch import door",
    "dialects/pytorch/door": "import qviz.observers",
    "dialects/tensorflow/__init__": "",
    "sources/__init__": "import pandas, torch",
    "sources/npy": "import torch",
    "observers/__init__": "import qviz.metrics",
    "metrics/__init__": "import qviz.quantizers",
    "quantizers/__init__": "import qviz.stats",
    "stats/__init__": "import qviz.spec",
    "spec": "import qviz.xp, qviz.registry",
    "xp": "import qviz.errors",
    "registry": "import qviz.knobs",
    "knobs": "import qviz.errors",
    "errors": "",
}
OPTIONAL = {
    "report/__init__": "import qviz.figures, plotly, pandas",
    "doctor/__init__": "import qviz.transforms",
    "rosetta/__init__": "import qviz.pipeline, qviz.dialects.pytorch",
    "models/__init__": "import qviz.pipeline, qviz.sources",
    "transforms/__init__": "import qviz.pipeline",
}
LAYERS = "Layers: upper may import lower, siblings know nothing of each other"
DIALECTS = "Dialects never import each other"
STREAMLIT, PLOTLY = "streamlit only in ui", "plotly only in ui, api and report"
PANDAS = "pandas only in sources, ui, api and report"
TORCH = "torch only in sources, bench, golden and ui.device"
BROKEN = (
    ("stats/__init__", "import qviz.observers", LAYERS),
    ("errors", "def f():\n    from qviz.spec import x", LAYERS),
    ("cli/__init__", "import qviz.ui", LAYERS),
    ("sources/npy", "import qviz.dialects", LAYERS),
    ("registry", "import qviz.xp", LAYERS),
    ("doctor/__init__", "import qviz.figures", LAYERS),
    ("transforms/__init__", "import qviz.doctor", LAYERS),
    ("rosetta/__init__", "import qviz.figures", LAYERS),
    ("models/__init__", "import qviz.rosetta", LAYERS),
    ("golden/__init__", "import qviz.bench", LAYERS),
    ("report/__init__", "import qviz.ui", LAYERS),
    ("dialects/tensorflow/__init__", "from qviz.dialects.pytorch import door", DIALECTS),
    ("cli/__init__", "import streamlit", STREAMLIT),
    ("figures/__init__", "from streamlit import cache_data", STREAMLIT),
    ("figures/__init__", "import plotly.graph_objects", PLOTLY),
    ("bench/__init__", "import plotly", PLOTLY),
    ("pipeline", "def f():\n    import pandas", PANDAS),
    ("cli/__init__", "from pandas import DataFrame", PANDAS),
    ("ui/state", "import torch", TORCH),
    ("dialects/pytorch/door", "import torch.nn", TORCH),
    ("api", "import torch", TORCH),
)


@pytest.fixture
def tree(tmp_path):
    """The stand-in beside this project's pyproject.toml."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module, text in {**STAND_IN, **OPTIONAL}.items():
        write(tmp_path, module, text)
    return tmp_path


def write(tree, module, text):
    file = tree / "qviz" / f"{module}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n")


def test_the_stand_in_keeps_every_contract(tree):
    assert broken_contracts(tree) == []


@pytest.mark.parametrize(("module", "text", "contract"), BROKEN)
def test_breaks(tree, module, text, contract):
    before = {**STAND_IN, **OPTIONAL}[module]
    write(tree, module, f"{before}\n{text}")
    assert broken_contracts(tree) == [contract]


def test_optional_parts_may_be_missing(tree):
    for module in OPTIONAL:
        shutil.rmtree((tree / "qviz" / module).parent)
    assert broken_contracts(tree) == []


def test_a_part_without_a_layer_is_noticed(tree):
    write(tree, "newcomer", "")
    assert broken_contracts(tree) == [LAYERS]
