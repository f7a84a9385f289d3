import numpy as np

from qviz.sources.base import TensorInfo
from qviz.ui.derived import ChannelView
from qviz.ui.library import Item


def parent(x):
    info = TensorInfo("w", x.shape, x.dtype.name, "print", "weight", 0)

    class Source(dict):
        def __getitem__(self, name):
            return x

    return Item("file::w", "file · w", info, Source(), True)


def test_a_view_reads_its_parent_when_it_is_read():
    x = np.arange(24.0).reshape(2, 3, 4)
    view = ChannelView(parent(x), 1, 2)
    (name,) = view.names
    assert name == "file · w, channel 2"
    assert np.shares_memory(view[name], x)
    assert (view[name] == x[:, 2]).all()
    info = view.info(name)
    assert (info.shape, info.role, info.batch_axis, info.dtype) == (
        (2, 4),
        "weight",
        None,
        "float64",
    )


def test_every_channel_has_a_fingerprint_of_its_own():
    one = parent(np.zeros((4, 4)))
    views = [ChannelView(one, axis, channel) for axis in (0, 1) for channel in range(4)]
    prints = {view.info(view.names[0]).fingerprint for view in views}
    assert len(prints) == 8 and "print" not in prints
