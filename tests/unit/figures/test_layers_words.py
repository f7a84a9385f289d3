"""What the Layers page says, for every state there is."""

from dataclasses import replace

import pytest

from qviz.figures.layers_pairs_words import pairs_caption, pairs_heading
from qviz.figures.layers_reach import Reach
from qviz.figures.layers_words import (
    WAYS,
    alone_caption,
    alone_heading,
    caption,
    heading,
    listed,
    loud_line,
    ranges_heading,
)
from qviz.models.alone import Alone, Outcome, Sensitivity
from qviz.models.cost import LOSSLESS
from qviz.models.layers import LayerRow
from qviz.models.pairs import SAME, Pair, Pairs


def layer(name, sqnr=None, role="activation", note="", *, exact=True):
    return LayerRow(name, "Op", role, (2, 2), "float32", sqnr=sqnr, note=note, exact=exact)


def alone(name, sqnr=None, accuracy=None, upto=None, note=""):
    later = None if upto is None else Outcome(None, upto)
    return Alone(name, "activation", "Op", Outcome(sqnr, accuracy, sqnr is None), later, note=note)


def cost(*rows, accuracy=0.98):
    return Sensitivity(tuple(rows), accuracy, 128, "logits")


LAYERS = (layer("relu", 25.6), layer("pool", 12.0), layer("fc", 30.0, "weight"))


@pytest.mark.parametrize(
    ("rows", "found", "said"),
    [
        ((), None, "There is no tensor"),
        (LAYERS, None, "pool has the lowest SQNR of all: 12.0 dB"),
        ((layer("a", note=LOSSLESS),), None, "Every tensor comes back exactly"),
        ((layer("a", note="refused"),), None, "No tensor can be judged under these schemes"),
        (
            LAYERS,
            cost(alone("pool", 12, 0.97), alone("relu", 1, 0.1)),
            "relu is the layer: quantizing it alone takes 98 % right to 10 %",
        ),
        (
            LAYERS,
            cost(alone("relu", 30, 0.975)),
            "No layer alone costs a point: 98 % stay right",
        ),
        (  # 126 of 128, one of which may be chance; relu6 is the worst at the output
            LAYERS,
            cost(alone("fc", 51, 0.96), alone("relu6", 21, 0.97)),
            "No layer alone costs more than 128 samples can tell; relu6 leaves the output 21.0 dB",
        ),
        ((layer("a", 6.6, exact=False),), None, "a has the lowest SQNR of all: ≈ 6.6 dB"),
        (
            LAYERS,
            cost(alone("pool", 12), alone("relu", 3), accuracy=None),
            "relu hurts most: quantizing it alone leaves the output 3.0 dB",
        ),
        (LAYERS, cost(alone("relu"), accuracy=None), "No tensor alone changes the output"),
        (
            LAYERS,
            cost(replace(alone("relu"), alone=Outcome(note="It is NaN.")), accuracy=None),
            "relu changes the output, but no number says how much: It is NaN.",
        ),
        (
            [replace(layer(n, 20.0), nans=k) for n, k in (("w", 0), ("x", 3), ("y", 1))],
            cost(alone("w", 12, 0.97)),
            "2 activations hold NaN; the first is x",
        ),
        (
            [replace(layer("fc", role="weight"), nans=1), layer("x", 9.0)],
            None,
            "fc holds NaN",
        ),
        (
            [replace(layer(n, role=n), nans=1) for n in ("weight", "bias")],
            None,
            "2 tensors hold NaN; the first is weight",
        ),
        (
            (layer("w", 151.0, "weight"), layer("v", 144.8, "weight"), layer("b", 45.0, "bias")),
            None,
            "Every weight lies on its grid: the worst has 144.8 dB",
        ),
        (
            (layer("w", 151.0, "weight"), layer("x", 144.8), layer("b", 145.0, "bias")),
            None,
            "Every tensor lies on its grid: the worst has 144.8 dB",
        ),
        (
            (layer("w", 151.0, "weight"), layer("x", 144.8), layer("b", 45.0, "bias")),
            None,
            "Every weight and activation lies on its grid: the worst has 144.8 dB",
        ),
        (LAYERS, cost(alone("relu", note="no")), "pool has the lowest SQNR of all: 12.0 dB"),
    ],
)
def test_the_table_names_the_layer(rows, found, said):
    assert heading(rows, found) == said


@pytest.mark.parametrize(
    ("way", "end"),
    [
        ("alone", "what a layer costs stands under Alone."),
        ("run", "run the model, then see Alone."),
        ("open", "open the model as ONNX and run it."),
    ],
)
def test_without_a_cost_the_caption_says_how_to_get_it(way, end):
    assert set(WAYS) == {"alone", "run", "open"}
    assert caption(LAYERS, None, "Net.", way) == f"Net. Tensor SQNR misleads: {end}"


def test_the_caption_says_that_the_tensor_alone_misleads():
    told = caption(LAYERS, cost(alone("relu", 1, 0.1)), "Net.")
    assert told == (
        "Net. 128 samples. Its own SQNR, 25.6 dB, tops all 1 other activations: "
        "tensor SQNR misleads."
    )
    rough = (layer("relu", 25.6, exact=False), layer("pool", 12.0), layer("conv", 30.0))
    assert "Its own SQNR, ≈ 25.6 dB, tops 1 of 2 other activations" in caption(
        rough, cost(alone("relu", 1, 0.1)), "Net."
    )
    assert caption(LAYERS, cost(alone("pool", 1, 0.1)), "Net.") == "Net. 128 samples."
    assert caption(LAYERS, cost(alone("relu", 1, 0.98)), "Net.") == "Net. 128 samples."


def test_a_long_name_keeps_what_tells_it_from_the_others():
    names = [f"encoder.layer.{at}.attention.output.dense.weight" for at in range(6)]
    rows = [layer(name, 30.0 - at, "weight") for at, name in enumerate(names)]
    said = heading(rows, None)
    assert said == "…5.attention.output.dense.weight has the lowest SQNR of all: 25.0 dB"
    assert listed(names[:2]) == "…0.attention.output.dense.weight, …1.attention.output.dense.weight"


def test_channels_that_recur_are_listed():
    assert loud_line(3, ("bn1", "relu")) == "Channel 3 is loud in 2 activations: bn1, relu."
    assert listed(["a", "b", "c", "d", "e", "f"]) == "a, b, c, d and 2 more"


def test_ranges_name_the_farthest():
    near, far = (Reach(n, (1, 1, 1, r, r)) for n, r in (("conv", 4.0), ("relu", 275.0)))
    assert ranges_heading([], 60) == "No tensor here has anything but zeros"
    assert ranges_heading([near], 60) == "No tensor reaches 60 times its median magnitude"
    told = "relu reaches 275 times its median magnitude, "
    assert ranges_heading([near, far], 60) == told + "the only one of 2 past the mark"
    assert ranges_heading([near, far], 2) == told + "one of 2 of 2 past the mark"
    rough = Reach("relu", far.ends, exact=False)
    assert ranges_heading([near, rough], 60).startswith("relu reaches ≈ 275 times")


def test_alone_says_what_it_costs_and_what_repairs_it():
    found = cost(alone("conv", 40, 0.98), alone("relu", 0, 0.09, upto=0.111))
    assert alone_heading(found, None) == "relu alone costs 89 points"
    repaired = alone_heading(found, cost(alone("relu", 20, 0.979)))
    assert repaired == "relu alone costs 89 points; per channel it costs nothing"
    same = alone_heading(cost(alone("relu", 30, 0.979)), None)
    assert same == "No layer alone costs a point; relu comes closest"
    chance = alone_heading(cost(alone("fc", 51, 0.96), alone("relu6", 21, 0.97)), None)
    assert chance.endswith("128 samples can tell; relu6 leaves the output 21.0 dB")
    assert alone_caption(found, "Net.") == (
        "Net. 98 % of 128 right in float, 11.1 % with everything quantized."
    )


def test_pairs_name_the_one_that_differs_most():
    a, b = Pair("a", "a", "weight", (2,), 31.2), Pair("b", "b", "weight", (2,), None, 0.0, SAME)
    assert pairs_heading(Pairs((), ("x",), ()), "two") == "No tensor here has a namesake in two"
    assert pairs_heading(Pairs((b, a), (), ()), "two") == "a differs most of 2 pairs: 31.2 dB"
    assert pairs_heading(Pairs((b,), (), ()), "two") == "1 of 1 pairs are the same, bit for bit"
    said = pairs_caption(Pairs((b, a), ("x",), ("y", "z")), "one", "two")
    assert (
        "The same bit for bit: 1." in said
        and "Only in one: x." in said
        and "Only in two: y, z." in said
    )
