"""What is said to tell two rules apart does so: traits are exchanged here by other means."""

from itertools import chain, combinations

import numpy as np
import pytest

from qviz.figures.rosetta_parting import sentence
from qviz.quantizers.arithmetic import ROUNDINGS
from qviz.rosetta.divergence import TOGETHER, VALUES, divergence
from qviz.rosetta.exchange import EITHER, FIRST, SECOND, cause
from qviz.rosetta.probe import inside, probe
from tests.unit.rosetta.made import GPU, ORT, TF, every, of

ASCEND, MIN_FIRST = "mindspore.default@ascend uint8", "tf.min_first uint8"
TRAITS = ("codes", "precision", "quotient", "zero point added", "tie")
RANGES = (
    (-1.0, 1.0), (-0.5, 2.5), (-7.3, 19.1), (1.0, 3.0), (-2.5, 0.5), (0.0, 1.0),
    (-109.3, 204.1), (-22.0, -15.0), (-0.25, 0.75),
)  # fmt: skip
LOWEST = {-128: -128, -127: -128, 0: 0}


def stored(answer, x):
    made = answer.quantizer
    codes = np.float64(made.quantize(x[None]))[0] - LOWEST[made.ends[0]]
    return codes, np.float32(made.dequantize(made.quantize(x[None])))[0]


def mixed(mine, theirs, taken, x):
    """Codes of ``mine`` with the traits of ``theirs`` that are taken, operation by operation."""
    ways = {name: (theirs if name in taken else mine) for name in TRAITS}
    dtype = ways["precision"].quantizer.arithmetic.dtype
    quotient = ways["quotient"].quantizer.arithmetic
    counting = ways["zero point added"].quantizer.arithmetic
    kind = np.dtype(dtype).type
    t = x.astype(kind)
    if counting.origin is not None:
        t = t - kind(counting.origin[0])
    ahead, behind = quotient.times
    t = t * ahead if ahead != 1 else t
    before = None if counting.before is None else kind(counting.before[0])
    factor = kind(quotient.factor[0])
    if counting.once is not None and not quotient.divides and dtype == "float32":
        t = counting.once(t, factor, before)
    else:
        t = t / factor if quotient.divides else t * factor
        t = t * behind if behind != 1 else t
        t = t if before is None else t + before
    codes = ROUNDINGS[ways["tie"].quantizer.arithmetic.tie](t)
    if counting.after is not None:
        codes = codes + kind(counting.after[0])
    codes = np.float64(codes) - LOWEST[ways["zero point added"].quantizer.ends[0]]
    low, high = ways["codes"].quantizer.ends
    return np.clip(codes, low - LOWEST[low], high - LOWEST[low])


def subsets(names, size):
    return chain.from_iterable(combinations(names, n) for n in range(1, size))


def claim(a, b, x, made):
    """Check everything that is said of one pair; gives what was named."""
    found = divergence(a, b, x)
    differ = int((made[0][0] != made[1][0]).sum())
    if found.first == VALUES:
        assert differ == 0 and (made[0][1] != made[1][1]).any()
    why = found.cause
    if why is None:
        assert found.first not in TRAITS and found.first != TOGETHER
        if found.first is None:
            assert differ == 0 and np.array_equal(made[0][1], made[1][1])
        return found.first
    assert why.differ == differ > 0 and why.together
    sides = [(a, b, made[1][0])] * (why.taker != SECOND) + [(b, a, made[0][0])] * (
        why.taker != FIRST
    )
    for mine, theirs, wanted in sides:  # all of it together is the whole cause
        assert np.array_equal(mixed(mine, theirs, why.together, x), wanted)
    for some in subsets(TRAITS, len(why.together)):  # and nothing less is
        for mine, theirs, wanted in ((a, b, made[1][0]), (b, a, made[0][0])):
            assert not np.array_equal(mixed(mine, theirs, some, x), wanted), some
    for name, left in why.left:
        mine, theirs, wanted = sides[0]
        assert (mixed(mine, theirs, (name,), x) != wanted).sum() == left < differ
    _spoken(sentence(a, b, found), why)
    return found.first


def _spoken(text, why):
    """The sentence claims a whole cause where there is one, and says so where there is none."""
    one = len(why.together) == 1
    assert ("no single step explains" in text) == (not one)
    assert ("that alone tells their codes apart" in text) == (one and why.taker == EITHER)
    assert ("makes the same codes" in text) == (one and why.taker != EITHER)


@pytest.mark.parametrize("lo_hi", RANGES, ids=str)
def test_what_is_named_is_the_cause(lo_hi):
    lo, hi = map(float, map(np.float32, lo_hi))
    given = [one for one in every(lo, hi, kind="framework") if one.usable]
    x = inside(probe(given), lo, hi)
    made = {one.rule.name: stored(one, x) for one in given}
    seen = {
        claim(a, b, x, (made[a.rule.name], made[b.rule.name])) for a, b in combinations(given, 2)
    }
    assert {TOGETHER, "quotient", "tie"} & seen and len(seen) > 4


def test_a_step_that_only_one_of_them_takes():
    """TensorFlow takes the offset off again: MindSpore without it keeps its codes by any tie."""
    for name, taker in ((ASCEND, EITHER), (GPU, SECOND)):
        a, b = of(name, -1, 1), of(TF, -1, 1)
        found = cause(a.quantizer, b.quantizer, inside(probe((a, b)), -1, 1))
        assert (found.together, found.taker) == (("zero point added",), taker)


def test_two_steps_of_which_neither_is_enough():
    a, b = of(ORT, -1, 1), of(MIN_FIRST, -1, 1)
    found = cause(a.quantizer, b.quantizer, inside(probe((a, b)), -1, 1))
    assert found.together == ("quotient", "tie")
    assert all(0 < left < found.differ for _, left in found.left)
