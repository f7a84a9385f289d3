"""A device that is not there: tensors of the processor that behave as if they lay elsewhere."""

from functools import lru_cache

import numpy as np
import torch

from qviz import xp
from qviz.ui import device

AFAR = device.Device("far", "Test GPU")


class Far(torch.Tensor):
    """NumPy cannot see it, as with any tensor of a device; only ``cpu`` brings it back."""

    def numpy(self, *args, **rest):
        raise TypeError("can't convert a far tensor to numpy")

    def __array__(self, *args, **rest):
        raise TypeError("can't convert a far tensor to numpy")

    def cpu(self, *args, **rest):
        return self.as_subclass(torch.Tensor)


def sent(x):
    """A copy of an array, far away."""
    if isinstance(x, np.ndarray):
        x = torch.from_numpy(np.array(x, x.dtype.newbyteorder("=")))
    return x.as_subclass(Far)


def arrive(monkeypatch, move=None):
    """torch reports the device from now on."""
    monkeypatch.setattr(xp, "HOST", "nowhere")
    monkeypatch.setattr(device, "reported", lambda torch: AFAR)
    monkeypatch.setattr(device, "moved", move or (lambda x, where: sent(x)))
    monkeypatch.setattr(device, "_offered", lru_cache(maxsize=1)(device._offered.__wrapped__))
