"""Every dialect says what it is, and each member names one of its documents."""

import importlib
import pkgutil

import pytest

from qviz import dialects
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS

FOUND = [
    importlib.import_module(f"qviz.dialects.{package.name}.dialect").DIALECT
    for package in pkgutil.iter_modules(dialects.__path__)
    if package.ispkg
]
MEMBERS = [
    (registry.entry(name), registry[name].__module__.split(".")[2])
    for registry in (OBSERVERS, QUANTIZERS)
    for name in registry
    if registry[name].__module__.startswith("qviz.dialects.")
]


def test_keys_and_prefixes_are_their_own():
    assert {"pytorch", "tensorflow", "ti"} <= {found.key for found in FOUND}
    assert len({found.prefix for found in FOUND}) == len(FOUND)
    for found in FOUND:
        assert found.prefix.endswith(".")
        assert found.documents and found.rounding and found.configuration
        assert found.compute_dtype in ("float32", "float64")


def test_the_first_members_are_there():
    names = {entry.name for entry, _ in MEMBERS}
    assert names >= {
        "torch.affine",
        "torch.histogram",
        "torch.minmax",
        "torch.moving_average",
        "ti.percentile",
        "tf.min_first",
    }


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member[0].name)
def test_a_member_belongs_to_its_dialect(member):
    entry, key = member
    (home,) = [found for found in FOUND if found.key == key]
    assert entry.name.startswith(home.prefix)
    assert entry.source in home.documents
    assert len(entry.title) <= 18
    assert entry.golden
