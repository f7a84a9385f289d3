"""Neutral observers against ranges worked out by hand, one file or more for each member."""

import json
from pathlib import Path

import numpy as np
import pytest

from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import Quantizer, Target, covered
from qviz.spec import QuantSpec
from qviz.stats.gather import gather
from qviz.stats.stream import Stream

FILES = sorted((Path(__file__).parent / "own").glob("*.json"))
CASES = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in FILES}
OBSERVED = {name: case for name, case in CASES.items() if "range" in case}
NEUTRAL = [name for name in OBSERVERS if OBSERVERS[name].__module__.startswith("qviz.observers.")]


@pytest.mark.parametrize("name", OBSERVED)
def test_range_is_the_one_worked_out_by_hand(name):
    case = OBSERVED[name]
    observer = OBSERVERS.make(case["member"])
    target = Target.of(QuantSpec(**case["spec"]))
    tile = Stream.of(np.array(case["x"], np.float32), batch_axis=case.get("batch_axis")).tiles[0]
    chosen = observer.range(gather(tile, observer.needs), target)
    chosen = covered(chosen) if isinstance(chosen, Quantizer) else chosen
    assert [chosen.lo[0], chosen.hi[0]] == pytest.approx(case["range"], rel=1e-6, abs=1e-12)
    assert case["why"]


@pytest.mark.parametrize("name", NEUTRAL)
def test_every_neutral_member_has_a_case(name):
    worked = {type(OBSERVERS.make(case["member"])) for case in OBSERVED.values()}
    assert OBSERVERS[name] in worked
