"""What is checked of a tensor of a saved capture when it is first used, and checksums."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from qviz.errors import RefusedFile
from qviz.sources.base import TensorInfo, TensorSource
from qviz.sources.captured.agreeing import contradiction, disagreement
from qviz.sources.captured.gathered import Gathered
from qviz.sources.file import File

CODE = "L04"
PIECE = 2**20  # bytes read at a time
_LOCAL = struct.Struct("<26xHH")  # a member's local header: name and extra field lengths


@dataclass(frozen=True, eq=False)
class Checked:
    """Checks a tensor once: its moments and distinct values against its sketch, then its values.

    ``members`` are the members of the archive by name, ``values`` that with the values of a
    tensor, where there is one.
    """

    file: File
    arrays: TensorSource
    members: Mapping[str, zipfile.ZipInfo]
    infos: Mapping[str, TensorInfo]
    gathered: Mapping[str, Gathered]
    values: Mapping[str, str]
    _fine: set[str] = field(default_factory=set, repr=False)

    def __call__(self, name: str) -> None:
        """Raises RefusedFile where the file is damaged, or has changed since it was opened."""
        if name in self._fine or name not in self.infos:
            return
        if why := contradiction(self.gathered[name]) or self._of_values(name):
            raise damaged(self.file, f"What is wrong: the {why}, of {name}")
        self._fine.add(name)

    def _of_values(self, name: str) -> str:
        if name not in self.values:
            return ""
        member = self.values[name]
        array = self.arrays.read(member)
        if not intact(self.file, self.members[f"{member}.npy"]):
            return f"checksum of the member {member}"
        off = disagreement(self.infos[name], self.gathered[name], array)
        return f"member {member} and its statistics ({off})" if off else ""


def intact(file: File, member: zipfile.ZipInfo) -> bool:
    """Whether the bytes of a plain member have the checksum that the archive says."""
    left, checksum = member.file_size, 0
    with file.path.open("rb") as stream:
        stream.seek(member.header_offset)
        stream.seek(sum(_LOCAL.unpack(stream.read(_LOCAL.size))), 1)
        while left and (piece := stream.read(min(PIECE, left))):
            checksum, left = zlib.crc32(piece, checksum), left - len(piece)
    return not left and checksum == member.CRC


def damaged(file: File, why: str) -> RefusedFile:
    """A refusal of a capture, with the reason."""
    return RefusedFile(
        f"{file.shown} is a damaged capture.", f"{why}.", "Capture the model again.", code=CODE
    )
