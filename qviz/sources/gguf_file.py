"""GGUF files are recognised, so that they can be refused by their name."""

from __future__ import annotations

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.file import File

SOURCE = Source("ggml", "GGUF file format", "3")
MAGIC = b"GGUF"


@LOADERS.register("gguf", title="GGUF (recognised, not read)", source=SOURCE)
class GgufLoader(Loader):
    """Refuses. The counts in such a file may claim anything, and its blocks need decoders."""

    def matches(self, file: File) -> bool:
        return file.head.startswith(MAGIC)

    def open(self, file: File) -> TensorSource:
        raise RefusedFile(
            f"{file.shown} is a GGUF file, which is not read.",
            "Its tensors are packed in blocks, each with scales of its own.",
            "Open the original weights instead, as safetensors say.",
            code="L16",
        )
