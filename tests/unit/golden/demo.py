"""A small set of vectors, of an operation that doubles, and its replay."""

import json

import numpy as np

from qviz.dialects import Check
from qviz.errors import QvizError
from qviz.golden.vectors import SCHEMA

FLOATS = np.float32([1, 2, 3, 2, 4, 6, 0.5])


def array(dtype, offset, *shape):
    return {"array": [dtype, offset, list(shape)]}


def case(name, op="double", x=None, want=None, **more):
    x = array("float32", 0, 3) if x is None else x
    want = array("float32", 3, 3) if want is None else want
    return {"id": f"{op}/{name}", "op": op, "inputs": {"x": x}, "expected": {"y": want}, **more}


def write(folder, *cases, schema=SCHEMA, **more):
    """The set in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"schema": schema, "set": "demo", "cases": list(cases), **more}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    np.savez(folder / "arrays.npz", float32=FLOATS)
    return folder


def double(case):
    """What a dialect's replay looks like."""
    yield Check("y", case.array(case["inputs"]["x"]) * 2, case["expected"]["y"])


def refuse(case):
    raise QvizError(f"No {case['op']} today.")


def stumble(case):
    yield Check("y", {}["missing"], 0)


REPLAYS = {"demo.double": double, "demo.refuse": refuse, "demo.stumble": stumble}
