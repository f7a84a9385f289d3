import numpy as np
import pytest

from qviz.errors import UnknownName
from qviz.sources.base import ROLES
from qviz.sources.synthetic import GENERATORS, Samples

NAMES = sorted(GENERATORS)


def test_there_are_at_least_fourteen_and_all_are_told_apart():
    source = Samples()
    assert source.names == tuple(NAMES) and len(NAMES) >= 14
    infos = source.infos.values()
    assert len({info.fingerprint for info in infos}) == len(NAMES)
    assert all(info.about.endswith(".") and info.role in ROLES for info in infos)
    assert max(info.size for info in infos) == 1_000_000


@pytest.mark.parametrize("name", NAMES)
def test_each_has_the_stated_shape_and_is_always_the_same(name):
    source = Samples()
    info, x = source.info(name), source[name]
    assert (x.dtype, x.shape) == (np.float32, info.shape)
    assert not x.flags.writeable
    assert x.tobytes() == source[name].tobytes()


def test_batches_are_named():
    axes = {name: info.batch_axis for name, info in Samples().infos.items()}
    assert axes.pop("drifting_batches") == 0
    assert set(axes.values()) == {None}


def test_unknown_samples_are_refused():
    with pytest.raises(UnknownName, match="gaussian"):
        Samples()["gauss"]
