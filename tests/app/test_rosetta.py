"""The Rosetta page without a browser: every view, every control, every odd tensor."""

import numpy as np
import pytest

from qviz.rosetta import rules
from qviz.rosetta.conventions import CONVENTIONS
from qviz.rosetta.documented import observer_pairs, rule_pairs
from tests.app.reading import caption, figures, heading, npy, npz, payload, well, words

PAGE = "5_Rosetta.py"
FRAMEWORK = [rule for rule in rules() if rule.kind == "framework"]
RELU = "teaching::relu"


@pytest.fixture
def at(open_app):
    """The page on a tensor of 4,096 values."""
    return open_app(page=PAGE, tensor=RELU)


def typed(at, lo, hi):
    well(at.segmented_control(key="rosetta_by").set_value("range").run())
    at.number_input(key="rosetta_lo").set_value(lo)
    return well(at.number_input(key="rosetta_hi").set_value(hi).run())


def view(at, name):
    return well(at.segmented_control(key="rosetta_view").set_value(name).run())


def frame(at, column):
    """The table that has this column."""
    (found,) = [d.value for d in at.dataframe if column in d.value.columns]
    return found


def test_a_newcomer_reads_why_two_frameworks_differ_by_one(at):
    typed(at, -0.5, 2.5)
    assert heading(at).endswith(" on [−0.5, 2.5]: the zero point falls on a tie or just beside it")
    assert "both get 42.5; the first makes it 42 (half to even)" in caption(at)
    assert "the second makes it 43 (half away from zero)" in caption(at)
    steps = frame(at, "Compared").set_index("Step")
    assert steps.loc["Rounded", "Compared"] == "◀ first difference"
    assert list(steps.loc["Zero point"])[:2] == ["42", "43"]
    assert len(frame(at, "Zero pt")) == len(FRAMEWORK)


def test_the_tensor_itself_is_compared_first(at):
    assert heading(at).startswith(f"{len(FRAMEWORK)} rules, ")
    assert "Compared on" in caption(at)
    assert figures(at)["rosetta-picture"]["data"]
    assert payload(at) < 120_000


@pytest.mark.parametrize("ends", [(-1.0, 1.0), (1.0, 3.0), (-1e-8, 1e-8), (0.0, 0.0)])
def test_every_view_opens_on_every_range(at, ends):
    typed(at, *ends)
    for name in ("conventions", "fragility", "documented", "picture"):
        view(at, name)
        assert heading(at) and not at.error
    view(at, "which")
    assert heading(at)


def test_a_range_that_ends_below_its_start_is_refused(at):
    typed(at, 2.0, 1.0)
    for name in ("picture", "conventions", "fragility", "documented", "which"):
        view(at, name)
        assert "ends below its start" in at.error[0].value


def test_typed_qparams(at):
    well(at.segmented_control(key="rosetta_by").set_value("qparams").run())
    at.number_input(key="rosetta_scale").set_value(0.5)
    well(at.number_input(key="rosetta_zero").set_value(3).run())
    assert " on [−1.5, 126]" in heading(at)
    at.number_input(key="rosetta_scale").set_value(-1.0)
    well(at.run())
    assert "is no step size" in at.error[0].value


def test_typed_qparams_of_signed_codes(at):
    well(at.segmented_control(key="rosetta_by").set_value("qparams").run())
    at.number_input(key="rosetta_scale").set_value(0.880233883857727)
    well(at.number_input(key="rosetta_zero").set_value(-50).run())
    assert "−50 is none of the codes 0 to 255" in words(at.error[0].value).replace("-50", "−50")
    well(at.segmented_control(key="rosetta_type").set_value("int8").run())
    assert " on [−68.66, 155.8]" in heading(at)  # -78 and 177 steps
    said = caption(at)
    assert "get another scale" in said and "0.8802338, typed 0.8802339" in said


def test_every_rule_can_be_chosen(at):
    typed(at, -0.5, 2.5)
    well(at.pills(key="rosetta_kinds").set_value(
        ["framework", "documentation", "channel", "neutral"]).run())  # fmt: skip
    assert heading(at).startswith(f"{len(rules())} rules, ")
    for place, rule in enumerate(rules()):
        at.selectbox(key="rosetta_a" if place % 2 else "rosetta_b").set_value(rule.name)
        if place % 6 == 0:
            well(at.run())
            assert rule.title in caption(at)
    well(at.pills(key="rosetta_kinds").set_value(["neutral"]).run())
    assert heading(at).startswith("3 rules, ")


def test_conventions_are_there_to_copy(at):
    typed(at, -41.42207336425781, 7.706432342529297)
    view(at, "conventions")
    assert heading(at) == "torch Affine uint8: 7 of 8 conventions can say this quantizer"
    texts = [block.value for block in at.code]
    assert len(texts) == 7 and any('"offset": [-215]' in text for text in texts)
    said = " ".join(words(c.value) for c in at.main.caption)
    assert "TensorRT has no zero point" in said
    assert {e.title for e in map(CONVENTIONS.entry, CONVENTIONS)} <= {
        words(m.value).strip("*") for m in at.main.markdown
    }


def test_fragility_counts_and_offers_the_probe(at):
    view(at, "fragility")
    found = frame(at, "Changed")
    assert {"ties half away from zero", "scale in bfloat16"} <= set(found["Changed"])
    assert (found["Flips"] >= 0).all()
    assert len(at.get("download_button")) == 2


def test_codes_made_here_are_attributed(at):
    view(at, "which")
    for name in ("tf.min_combined uint8", "torch.affine int8 sym."):
        well(at.selectbox(key="rosetta_maker").set_value(name).run())
        title = next(rule.title for rule in rules() if rule.name == name)
        assert title in set(frame(at, "How it computes")["Rule"])


def test_codes_of_a_device_lead_to_its_rule(open_app):
    """Ties at a step of 1 with an odd zero point tell two of PyTorch's ops apart."""
    x = np.float32([-3, 252, 0.5, 1.5, 2.5, -0.5, -1.5])
    codes = np.uint8([0, 255, 4, 4, 6, 2, 2])
    at = open_app(page=PAGE, tensor=RELU)
    at.file_uploader[0].upload("mine.npz", npz(values=x, codes=codes))
    well(at.run())
    chosen = next(i for i in at.selectbox(key="tensor").options if "values" in i)
    well(at.selectbox(key="tensor").select(chosen).run())
    view(at, "which")
    (box,) = [b for b in at.selectbox if (b.key or "").startswith("rosetta-codes")]
    well(box.select(next(o for o in box.options if "codes" in o and "made" not in o)).run())
    assert "torch Quantize uint8" in heading(at)
    assert "torch Affine uint8" not in set(frame(at, "How it computes")["Rule"])


def test_another_zero_point_and_the_range_of_a_probe(open_app):
    x = np.float32([-0.5, 2.5, 0.0, 0.3, 0.61, 1.0])
    codes = np.rint(x * np.float32(85)) + 44  # TensorFlow's zero point is 43
    at = open_app(page=PAGE, tensor=RELU)
    at.file_uploader[0].upload("mine.npz", npz(values=x, codes=np.uint8(np.minimum(codes, 255))))
    well(at.run())
    chosen = next(i for i in at.selectbox(key="tensor").options if "values" in i)
    well(at.selectbox(key="tensor").select(chosen).run())
    view(at, "which")
    (box,) = [b for b in at.selectbox if (b.key or "").startswith("rosetta-codes")]
    well(box.select(next(o for o in box.options if "codes" in o and "made" not in o)).run())
    assert "That is the values' own: of a probe, type the range" in caption(at)
    typed(at, -0.5, 2.5)
    assert "does with a zero point 1 higher: 44, not 43" in heading(at)
    assert "type the range" not in caption(at)


def test_every_documented_member_has_its_row(at):
    view(at, "documented")
    bold = [words(m.value) for m in at.main.markdown if " beside " in m.value]
    assert len(bold) == len(rule_pairs()) + len(observer_pairs())


@pytest.mark.parametrize(
    "x",
    [
        np.zeros((3, 4), np.float32),
        np.full(5, 2.0, np.float32),
        np.float32(1.5),
        np.arange(10),
        np.float32([1, np.nan, -np.inf, 2]),
        np.array([1e300, -1.0]),
    ],
    ids=["zeros", "constant", "one", "integers", "odd values", "beyond float32"],
)
def test_odd_tensors(open_app, x):
    at = open_app(page=PAGE, tensor=RELU)
    at.file_uploader[0].upload("odd.npy", npy(x))
    well(at.run())
    for name in ("picture", "conventions", "fragility", "which", "documented"):
        view(at, name)
        assert at.error or heading(at)


@pytest.mark.parametrize("x", [np.zeros(0, np.float32), np.full(3, np.nan, np.float32)])
def test_nothing_to_take_a_range_from(open_app, x):
    at = open_app(page=PAGE, tensor=RELU)
    at.file_uploader[0].upload("none.npy", npy(x))
    well(at.run())
    assert "no finite element" in at.error[0].value
    typed(at, -1.0, 1.0)
    assert heading(at) and not at.error
