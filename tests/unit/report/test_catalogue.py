"""The catalogue holds every member, with what it says of itself."""

import pytest

from qviz.dialects import Dialect
from qviz.metrics.base import METRICS
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.registry import Source
from qviz.report.catalogue import NEUTRAL, Item, catalogue, homes, read
from qviz.report.markdown import KINDS, markdown

ITEMS = catalogue()


def named(kind, name):
    (item,) = [item for item in ITEMS if (item.kind, item.name) == (kind, name)]
    return item


def test_every_member_is_there_once():
    for kind, registry in (("observer", OBSERVERS), ("mode", QUANTIZERS), ("metric", METRICS)):
        assert sorted(item.name for item in ITEMS if item.kind == kind) == list(registry)


def test_every_member_says_what_it_is():
    for item in ITEMS:
        assert item.says and item.says[0] and item.precision in ("float32", "float64")
        assert item.source.document and item.source.version
        assert bool(item.rounding) == (item.kind != "metric")
        assert all(knob.help for knob in item.knobs)


def test_one_member_in_full():
    item = named("observer", "ort.percentile")
    assert item.dialect == "ONNX Runtime" and item.precision == "float32"
    assert item.source.version == "1.32.0" and "left edge" in item.differs
    assert {knob.name: (knob.default, knob.allowed) for knob in item.knobs} == {
        "percentile": ("99.999", "0 to 100"),
        "num_bins": ("2048", "16 to 8192"),
        "symmetric": ("True", "True, False"),
    }
    assert not any("Differs" in paragraph for paragraph in item.says)
    assert named("observer", "sigma").listed == ("sigma_3", "sigma_4", "sigma_6")
    assert named("observer", "minmax").listed == ()
    assert named("metric", "mse").unit == "units²"


def test_neutral_rules_come_first_then_dialects_by_title():
    found = list(homes().values())
    assert found[0] is NEUTRAL
    titles = [dialect.title.lower() for dialect in found[1:]]
    assert titles == sorted(titles) and len(titles) >= 5
    assert all(isinstance(dialect, Dialect) for dialect in found)
    kinds = [item.kind for item in ITEMS]
    assert kinds == sorted(kinds, key=list(KINDS).index)


@pytest.mark.parametrize(
    ("docstring", "says", "differs"),
    [
        ("One line.", ("One line.",), ""),
        ("One.\n\nTwo\nlines.", ("One.", "Two lines."), ""),
        ("One.\n\nDiffers: in this\nway.\n\nThree.", ("One.", "Three."), "in this way."),
        ("One.\n\nRaises\n------\nError\n    why.", ("One.",), ""),
        ("", (), ""),
    ],
)
def test_a_docstring_is_read_up_to_its_sections(docstring, says, differs):
    assert read(docstring) == (says, differs)


def test_markdown_of_one_member():
    item = Item(
        kind="mode",
        name="m",
        title="M",
        dialect="Neutral",
        source=Source("doc", "section", "3"),
        precision="float64",
        rounding="half to even",
        says=("First.", "Second."),
        differs="it does.",
        knobs=named("observer", "sigma").knobs,
        listed=("m_1",),
        unit="",
    )
    wanted = """#### `m`: M

First.

Second.

- Source: doc, section (3)
- `k` = 3 (0.5 to 12): half width in standard deviations
- Listed as: `m_1`
- Differs: it does.
"""
    text = markdown([item])
    assert text.endswith(wanted)
    assert "## Modes\n\n### Neutral\n\nThe rules of no framework. Precision: float64." in text


def test_markdown_holds_every_member():
    text = markdown(ITEMS)
    assert all(f"#### `{item.name}`: {item.title}\n" in text for item in ITEMS)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Observers",
        "## Modes",
        "## Metrics",
    ]
