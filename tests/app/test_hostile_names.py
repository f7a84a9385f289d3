"""Names that a hostile file gives its tensors, on every page."""

import json
import struct

import numpy as np
import pytest

from tests.app.reading import APP, PAGES, chosen, figures, started, upload, well

NAMES = (  # the first one belongs to the largest tensor and is shown first
    "<img src=x onerror=alert(1)>",
    '<a href="https://example.invalid">w</a>',
    "$\\href{javascript:1}{x}$",
    "../../etc/x",
    "a" * 10_000,
    "x\u202egnp.exe",
    "",
    "a\nb\x00",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\t=1",
)
AS_TEXT = {"selectbox", "multiselect", "text", "code", "arrow_data_frame", "dataframe"}


def hostile():
    """A safetensors file with these names: the format allows any."""
    header, data = {}, b""
    for at, name in enumerate(NAMES):
        x = np.linspace(-1, 1 + at, 8 * (20 - at), dtype="<f4")
        header[name] = {
            "dtype": "F32",
            "shape": [20 - at, 8],
            "data_offsets": [len(data), len(data) + x.nbytes],
        }
        data += x.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def nodes(block):
    """Every element and block of a page."""
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from nodes(child)


def read_as_markup(at):
    """Words of all parts of a page in which Markdown or markup is read."""
    for node in nodes(at._tree):
        if node.type not in AS_TEXT and getattr(node, "proto", None) is not None:
            yield node.type, str(node.proto).replace("\\\\", "\\")


@pytest.fixture
def open_page():
    """Open a page with the hostile file in it; its folder goes at the end."""
    sessions = []

    def opening(script, name):
        at = started()
        sessions.append(at)
        at = upload(well(at), name, hostile())
        return at if script == APP else well(at.switch_page(f"pages/{script.name}").run())

    yield opening
    for at in sessions:
        at.session_state["folder"].cleanup()


@pytest.mark.parametrize("script", [APP, *PAGES], ids=lambda path: path.stem)
def test_names_stay_text_on_every_page(open_page, script):
    at = open_page(script, "=<b>names.safetensors")
    assert chosen(at).endswith(NAMES[0])
    assert script != APP or any("\\<img" in words for _, words in read_as_markup(at))
    for kind, words in read_as_markup(at):
        if "unsafe_allow_html" in words or "allow_html: true" in words:
            assert "onerror" not in words and "names" not in words
        for sign in ("<img", "<a href", "<b>"):
            at_all = words.count(sign)
            assert at_all == words.count("\\" + sign), (kind, sign)
    for figure in figures(at).values():
        text = json.dumps(figure, ensure_ascii=False)
        assert "<img" not in text and "<a href" not in text and "<b>names" not in text
    for table in at.dataframe:
        for cell in table.value.select_dtypes(include=["object", "string"]).to_numpy().ravel():
            assert len(str(cell)) < 2 or str(cell)[0] not in "=+-@\t\r"  # one sign is no formula


def test_the_list_shows_each_name_cleaned_and_short(open_page):
    at = open_page(APP, "names.safetensors")
    box = at.selectbox(key="tensor")
    labels = [label for label in box.options if label.startswith("names.safetensors")]
    assert len(labels) == len(NAMES) == len(set(labels))
    assert all(label.isprintable() and len(label) <= 90 for label in labels)
    assert sum(label.endswith("· (no name)") for label in labels) == 1
    for label in labels:
        at = well(at.selectbox(key="tensor").select(label).run())
        assert not at.error
        assert at.query_params == {}
