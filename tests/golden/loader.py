"""Recorded vectors, and the two kinds of arrays that every replay goes through.

A set is a manifest of cases and one flat buffer per dtype.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from qviz.stats.base import NOTHING, Batch, PerBatch, Running, Seen

HERE = Path(__file__).parent
KINDS = ("numpy", "torch")


@cache
def load(name):
    """The set's manifest with every array in its place."""
    manifest = json.loads((HERE / name / "manifest.json").read_text(encoding="utf-8"))
    with np.load(HERE / name / "arrays.npz") as file:
        buffers = dict(file)
    return placed(manifest, buffers)


def placed(value, buffers):
    if isinstance(value, dict) and set(value) == {"array"}:
        dtype, offset, shape = value["array"]
        count = int(np.prod(shape, dtype=int))
        return buffers[dtype][offset : offset + count].reshape(shape)
    if isinstance(value, dict):
        return {key: placed(part, buffers) for key, part in value.items()}
    return [placed(part, buffers) for part in value] if isinstance(value, list) else value


def cases(name, **fields):
    """Cases whose fields, or parameters, have these values."""

    def fits(case):
        known = {**case.get("params", {}), **case}
        return all(known.get(key) == value for key, value in fields.items())

    found = [case for case in load(name)["cases"] if fits(case)]
    assert found, f"no case of {name} has {fields}"
    return found


def same(got, want, zeros_alike=False):
    """Bit for bit; any NaN equals any NaN, and -0.0 equals 0.0 only on request."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype.kind != "f":
        return bool((got == want).all())
    equal = got.view(f"u{got.dtype.itemsize}") == want.view(f"u{want.dtype.itemsize}")
    both_nan = np.isnan(got) & np.isnan(want)
    return bool((equal | both_nan | (zeros_alike & (got == want))).all())


def array(x, kind):
    """``x`` as that kind; 0-d and empty arrays keep their shape."""
    if kind == "numpy":
        return x
    import torch

    return torch.from_numpy(np.array(x))


def seen_of(observer, batches, kind):
    """The states an observer needs, each recipe called directly on arrays of that kind."""
    states = {recipe: state_of(recipe, batches, kind) for recipe in observer.needs}
    return Seen(states, len(batches))


def state_of(recipe, batches, kind):
    given = [array(x, kind) for x in batches]
    if isinstance(recipe, Running):
        state = recipe.start()
        for x in given:
            state = recipe.step(state, Batch(x))
        return state
    each = isinstance(recipe, PerBatch)
    statistic = recipe.statistic if each else recipe
    states = tuple(statistic.of(x.reshape(1, -1), NOTHING) for x in given)
    if each:
        return states
    merged = states[0]
    for state in states[1:]:
        merged = statistic.merge(merged, state)
    return merged
