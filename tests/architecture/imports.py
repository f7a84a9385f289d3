"""Rules of who imports whom: each takes a tree's root and lists what breaks it."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.architecture.rules import at, nodes, pages, parsed

HEAVY = ("torch", "streamlit", "plotly", "pandas", "onnx", "onnxruntime")


def imported(tree):
    """Full name and line of everything a module imports."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)


def page_imports(root):
    """Imports of a page other than streamlit and qviz.ui."""
    allowed = re.compile(r"__future__\.|(streamlit|qviz\.ui)(\.|$)")
    return [
        at(root, file, line, f"imports {name}")
        for file, tree in parsed(pages(root))
        for name, line in imported(tree)
        if not allowed.match(name)
    ]


def dev_imports(root):
    """Imports of dev.py that a bare Python does not have."""
    return [
        at(root, file, line, f"imports {name}")
        for file, tree in parsed(root.glob("dev.py"))
        for name, line in imported(tree)
        if name.split(".")[0] not in sys.stdlib_module_names
    ]


def eager_imports(root):
    """Heavy libraries that a bare ``import qviz`` loads, or what kept it from ending."""
    code = f"import sys, qviz; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    ended = output_of(root, sys.executable, "-c", code)
    return ended.stdout.split() if ended.returncode == 0 else [ended.stderr]


def broken_contracts(root):
    """Contracts of pyproject.toml that the imports break, or why they could not be checked."""
    program = Path(sys.executable).with_name("lint-imports")
    ended = output_of(root, str(program), "--no-logo", "--no-cache")
    broken = re.findall(r"^(.+) BROKEN", ended.stdout, re.MULTILINE)
    return broken or ([] if ended.returncode == 0 else [ended.stdout + ended.stderr])


def output_of(root, *words):
    """Run a program in the tree and keep what it says."""
    return subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
