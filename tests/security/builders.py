"""Makers of hostile and damaged files, each a few lines; and how a refusal is checked."""

import contextlib
import json
import pathlib
import struct
import time
import warnings
import zipfile

import pytest
import torch

from qviz.errors import RefusedFile
from qviz.sources.base import open_file

F32 = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}


class Evil:
    """Touches a file when unpickled by a reader that runs code."""

    def __init__(self, flag):
        self.flag = flag

    def __reduce__(self):
        return (pathlib.Path.touch, (pathlib.Path(self.flag),))


def npy_header(shape, descr, fortran=False):
    text = repr({"descr": descr, "fortran_order": fortran, "shape": shape})
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def safetensors_bytes(header, data=bytes(16), length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def pickled_text(text):
    """A text as a pickle spells it."""
    raw = text.encode()
    return b"X" + struct.pack("<I", len(raw)) + raw


def repacked(source, target, compression=zipfile.ZIP_STORED, **replaced):
    """Copy an archive, packed anew; ``replaced`` gives new bytes by a member's last word."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", compression) as new:
        for name in old.namelist():
            key = name.rpartition("/")[2].partition(".")[0]
            new.writestr(name, replaced.get(key, old.read(name)))
    return target


def checkpoint(path, content, **how):
    """torch.save, without torch's remarks on types that it means to retire."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.save(content() if callable(content) else content, path, **how)
    return path


@contextlib.contextmanager
def quick(seconds=2.0):
    """What is inside takes less than that."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def refused(path, code, *words, shown=None):
    """Open the file: it must be refused quickly, with this code and these words."""
    with quick(), pytest.raises(RefusedFile) as caught:
        open_file(path, shown)
    error = caught.value
    assert error.code == code
    assert error.what and error.why and error.do
    for word in words:
        assert word in str(error)
    assert str(path.parent) not in str(error)  # no path of the machine in a message
    return error
