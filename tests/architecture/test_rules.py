"""The rules hold for this project, and each of them notices when it is broken."""

import pytest

from tests.architecture import imports, rules
from tests.browser.serving import ROOT

RULES = (
    rules.long_modules,
    rules.long_functions,
    rules.fat_pages,
    rules.broad_handlers,
    rules.raw_markup,
    rules.forbidden_words,
    imports.page_imports,
    imports.dev_imports,
    imports.eager_imports,
    imports.broken_contracts,
)
FUNCTION = "def long():\n    '''Doc.\n\n    More.\n    '''\n"
FRAME = "import streamlit as st\nCSS = '<style>p {}</style>'\n"

BROKEN = {
    "module": (rules.long_modules, "qviz/a.py", "x = 1\n" * 201),
    "function": (rules.long_functions, "qviz/a/b.py", FUNCTION + "    x = 1\n" * 41),
    "method": (rules.long_functions, "qviz/a.py", "class A:\n def f(self):\n" + "  x = 1\n" * 41),
    "page": (rules.fat_pages, "pages/1_A.py", "x = 1\n" * 41),
    "home": (rules.fat_pages, "app.py", "x = 1\n" * 41),
    "page function": (rules.fat_pages, "pages/1_A.py", "def f():\n" + "    x = 1\n" * 10),
    "page numpy": (imports.page_imports, "pages/1_A.py", "import numpy as np\n"),
    "page core": (imports.page_imports, "pages/1_A.py", "from qviz import spec\n"),
    "page late": (imports.page_imports, "app.py", "def f():\n    from qviz.uix import a\n"),
    "page relative": (imports.page_imports, "app.py", "from . import ui\n"),
    "dev": (imports.dev_imports, "dev.py", "import os\nimport numpy\n"),
    "bare": (rules.broad_handlers, "qviz/a.py", "try:\n    f()\nexcept:\n    pass\n"),
    "broad": (rules.broad_handlers, "app.py", "try:\n    f()\nexcept Exception:\n    pass\n"),
    "one of": (
        rules.broad_handlers,
        "tests/a.py",
        "try:\n    f()\nexcept (OSError, BaseException):\n    pass\n",
    ),
    "suppress": (rules.broad_handlers, "qviz/a.py", "with suppress(Exception):\n    f()\n"),
    "markdown": (
        rules.raw_markup,
        "qviz/ui/a.py",
        "import streamlit as st\nst.markdown(name, unsafe_allow_html=True)\n",
    ),
    "switch": (rules.raw_markup, "pages/1_A.py", "st.write(x, unsafe_allow_html=flag)\n"),
    "html": (rules.raw_markup, "qviz/ui/a.py", "st.html(text)\n"),
    "css elsewhere": (rules.raw_markup, "qviz/ui/a.py", FRAME + "st.html(CSS)\n"),
    "css and more": (rules.raw_markup, "qviz/ui/frame.py", FRAME + "st.html(CSS + name)\n"),
    "css put together": (rules.raw_markup, "qviz/ui/frame.py", "CSS = f'{name}'\nst.html(CSS)\n"),
    "place": (rules.forbidden_words, "docs/a.md", "See /" + "work/main.\n"),
    "elsewhere": (rules.forbidden_words, "README.md", "See ../" + "shared/x.\n"),
    "later": (rules.forbidden_words, ".ci/run", "# TO" + "DO\n"),
    "eager": (imports.eager_imports, "qviz/__init__.py", "import pandas\n"),
    "no import": (imports.eager_imports, "qviz/__init__.py", "import nowhere_to_be_found\n"),
}
FINE = {
    "at the ceilings": (
        "qviz/a.py",
        FUNCTION + "    x = 1\n" * 40 + "x = 1\n" * (200 - 45),
    ),
    "page": (
        "pages/1_A.py",
        "from __future__ import annotations\nimport streamlit as st\nfrom qviz import ui\n"
        "from qviz.ui.frame import frame\nimport qviz.ui\ndef f():\n" + "    x = 1\n" * 9,
    ),
    "handler": (
        "qviz/a.py",
        "try:\n    f()\nexcept (OSError, KeyError):\n    pass\nwith suppress(OSError):\n    f()\n",
    ),
    "css": ("qviz/ui/frame.py", FRAME + "st.html(CSS)\nst.markdown(CSS, unsafe_allow_html=True)\n"),
    "safe": ("qviz/ui/a.py", "import streamlit as st\nst.markdown('a', unsafe_allow_html=False)\n"),
    "hidden": (".venv/a.py", "# /" + "work/\n"),
}


@pytest.fixture(scope="module", autouse=True)
def _forgotten():
    """The trees of all files go at the end: millions of objects."""
    yield
    rules.tree_of.cache_clear()
    rules.nodes.cache_clear()


def write(root, name, text):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_project_keeps(rule):
    assert rule(ROOT) == []


@pytest.mark.parametrize("case", BROKEN)
def test_notices(case, tmp_path):
    rule, name, text = BROKEN[case]
    write(tmp_path, name, text)
    found = rule(tmp_path)
    assert len(found) == 1
    assert rule is imports.eager_imports or found[0].startswith(f"{name}:")


@pytest.mark.parametrize("case", FINE)
def test_lets_pass(case, tmp_path):
    write(tmp_path, *FINE[case])
    found = [violation for rule in RULES[:-2] for violation in rule(tmp_path)]
    assert found == []


def test_every_rule_is_seen_to_fire():
    shown = {rule for rule, _, _ in BROKEN.values()}
    assert shown == set(RULES) - {imports.broken_contracts}  # shown in test_contracts.py


def test_eager_import_is_named(tmp_path):
    write(tmp_path, "qviz/__init__.py", "import plotly\n")
    assert imports.eager_imports(tmp_path) == ["plotly"]
