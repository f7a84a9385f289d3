"""Rules of form: each takes a tree's root and lists what breaks it."""

import ast
import os
import re
from functools import cache
from pathlib import Path

MODULE_LINES = 200
BODY_LINES = 40
PAGE_LINES = 40
PAGE_FUNCTION_LINES = 10
BROAD = ("Exception", "BaseException")
TEXT = (".py", ".md", ".toml", ".yaml", ".yml", ".txt", "")
GENERATED = ("screenshots", "test-results", "build", "dist", "__pycache__")
# Each word is spelled with a one-letter class, or this file would break its own rule.
WORDS = re.compile(
    r"(?<![\w.])/[w]ork/|\.\./[s]hared|/[h]ome/|\b[T]ODO\b|\b[F]IXME\b"
    r"|[p]ypi\.org|[p]ythonhosted|[r]egistry\.npmjs|[d]eb\.debian"
)


def pages(root):
    """The app's page scripts."""
    return sorted([*root.glob("app.py"), *root.glob("pages/*.py")])


def product(root):
    """Python files of the product."""
    return sorted([*pages(root), *root.glob("dev.py"), *root.glob("qviz/**/*.py")])


def texts(root):
    """Files that people read, code and tests included."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in GENERATED and is_shown(f))
        yield from (Path(folder, name) for name in sorted(names) if Path(name).suffix in TEXT)


def is_shown(folder):
    """Whether people look into a folder of this name."""
    return not folder.startswith(".") or folder in (".ci", ".streamlit")


def parsed(files):
    """Each file with its syntax tree."""
    return [(file, tree_of(file.read_text(encoding="utf-8"))) for file in files]


tree_of = cache(ast.parse)  # several rules look at the same tree; none changes it


@cache
def nodes(tree):
    """All nodes of a tree."""
    return tuple(ast.walk(tree))


def at(root, file, line, what):
    """One violation in words."""
    return f"{file.relative_to(root)}:{line}: {what}"


def functions(tree):
    """Every function and method of a module."""
    return [n for n in nodes(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def body_lines(function):
    """Lines of a function's body, docstring left out."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return function.end_lineno - body[0].lineno + 1 if body else 0


def long_modules(root):
    """Modules over the ceiling."""
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in product(root)}
    return [at(root, f, n, f"{n} lines") for f, n in lengths.items() if n > MODULE_LINES]


def long_functions(root):
    """Functions whose body is over the ceiling."""
    return [
        at(root, file, function.lineno, f"{function.name} has {body_lines(function)} lines")
        for file, tree in parsed(product(root))
        for function in functions(tree)
        if body_lines(function) > BODY_LINES
    ]


def fat_pages(root):
    """Pages with too many lines, or with a function that belongs into qviz.ui."""
    found = []
    for file, tree in parsed(pages(root)):
        length = len(file.read_text(encoding="utf-8").splitlines())
        if length > PAGE_LINES:
            found.append(at(root, file, length, f"a page of {length} lines"))
        for function in functions(tree):
            length = function.end_lineno - function.lineno + 1
            if length > PAGE_FUNCTION_LINES:
                found.append(at(root, file, function.lineno, f"{function.name}: {length} lines"))
    return found


def broad_handlers(root):
    """Handlers that would hide a mistake along with the error that was meant."""
    files = [*product(root), *sorted(root.glob("tests/**/*.py"))]
    return [
        at(root, file, node.lineno, "catches everything")
        for file, tree in parsed(files)
        for node in nodes(tree)
        if catches_everything(node)
    ]


def catches_everything(node):
    """Whether a node is a bare or an all-catching ``except`` or ``suppress``."""
    if isinstance(node, ast.ExceptHandler):
        caught = [node.type] if node.type else [ast.Name("Exception")]
    elif isinstance(node, ast.Call) and name_of(node.func).endswith("suppress"):
        caught = node.args
    else:
        return False
    kinds = [kind for one in caught for kind in getattr(one, "elts", [one])]
    return any(isinstance(kind, ast.Name) and kind.id in BROAD for kind in kinds)


def name_of(called):
    """The last word of what is called."""
    return getattr(called, "attr", getattr(called, "id", ""))


def raw_markup(root):
    """Calls that hand markup to the browser, but for the frame's constant CSS."""
    files = [f for f in product(root) if f.name != "dev.py"]
    return [
        at(root, file, node.lineno, "unsafe markup")
        for file, tree in parsed(files)
        for node in nodes(tree)
        if isinstance(node, ast.Call) and is_markup(node) and not is_css(root, file, tree, node)
    ]


def is_markup(call):
    """Whether a call writes HTML: ``.html(...)`` or an ``unsafe_allow_...`` that is not False."""
    switches = [k.value for k in call.keywords if (k.arg or "").startswith("unsafe_allow")]
    unsafe = any(getattr(value, "value", True) is not False for value in switches)
    return unsafe or (isinstance(call.func, ast.Attribute) and call.func.attr == "html")


def is_css(root, file, tree, call):
    """Whether the call shows ``CSS``, a plain text at the top of the frame, and only that."""
    texts = [
        node
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CSS"
    ]
    plain = len(texts) == 1 and isinstance(texts[0].value, ast.Constant)
    shown = [ast.unparse(argument) for argument in call.args]
    return plain and shown == ["CSS"] and file == root / "qviz/ui/frame.py"


def forbidden_words(root):
    """Words that tie the project to one machine, or leave work for later."""
    return [
        at(root, file, number, f"says {match.group()!r}")
        for file in texts(root)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if (match := WORDS.search(line))
    ]
