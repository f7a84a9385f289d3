"""Safetensors in several files, listed by an index: ``model.safetensors.index.json``.

It reads ``{"weight_map": {tensor: file}}``; the files lie in its folder.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.found import Found
from qviz.sources.jsonfile import read_json
from qviz.sources.pairs import add_pairs
from qviz.sources.safetensors_file import SafetensorsLoader, listed

SOURCE = Source("Hugging Face Hub", "sharded safetensors index", "1")
MAP = "weight_map"
LARGEST = 16 * 2**20  # bytes of an index; one of 100,000 tensors has 10
SHARDS = 10_000
CODE, ASIDE = "L11", "L19"
_OBJECT = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"')


@LOADERS.register("sharded", title="Sharded safetensors (.safetensors.index.json)", source=SOURCE)
class ShardedLoader(Loader):
    """The tensors of all shards under one list; opened by path, since the shards lie beside."""

    suffixes = (".safetensors.index.json",)

    def matches(self, file: File) -> bool:
        if not _OBJECT.match(file.head):
            return False
        with file.path.open("rb") as stream:
            return f'"{MAP}"'.encode() in stream.read(LARGEST)

    def open(self, file: File) -> TensorSource:
        named = _map(file)
        shards = list(dict.fromkeys(named.values()))
        if len(shards) > SHARDS:
            raise _refusal(file, f"It names {len(shards)} files; {SHARDS} are allowed.", CODE)
        paths = {shard: _beside(file, shard) for shard in shards}
        for shard, path in paths.items():
            _check_there(file, shard, path)
        opened = {shard: _opened(File(path, shard)) for shard, path in paths.items()}
        contents = Contents(file, CODE)
        for name, shard in named.items():
            _add(contents, name, shard, opened[shard], paths[shard])
        add_pairs(contents)
        return contents.source()


def _map(file: File) -> dict[str, str]:
    said = read_json(file, LARGEST, CODE)
    named: Any = said.get(MAP) if isinstance(said, dict) else None
    texts = isinstance(named, dict) and all(isinstance(shard, str) for shard in named.values())
    if not texts or not named:
        raise _refusal(file, f"Its {MAP} must give a file's name for each tensor.", CODE)
    return named


def _beside(file: File, shard: str) -> Path:
    """Where a shard lies: in the index's own folder, or in the one both are linked into."""
    path = file.path.parent / shard
    plain = shard == Path(shard).name and "\\" not in shard and "\0" not in shard
    folders = {file.path.parent.resolve(), file.path.resolve().parent}
    if not plain or path.resolve().parent not in folders:
        raise _refusal(file, f"It names {shard[:80]!r}, which is not in its folder.", ASIDE)
    return path


def _check_there(file: File, shard: str, path: Path) -> None:
    if path.is_file():
        return
    if file.path.name != file.shown:
        why = "It only lists files, and an upload comes without them."
        do = "Open it by its path, or upload a shard itself."
        raise RefusedFile(f"{file.shown} is not read.", why, do, code=CODE)
    do = "Put all shards beside it."
    raise RefusedFile(f"{file.shown} is not whole.", f"{shard[:80]} is missing.", do, code=CODE)


def _opened(file: File) -> TensorSource:
    if file.size == 0 or not SafetensorsLoader().matches(file):
        why = "It is no safetensors file."
        raise RefusedFile(f"{file.shown} is not read.", why, "Download it again.", code=CODE)
    return listed(file).source()


def _add(contents: Contents, name: str, shard: str, source: TensorSource, path: Path) -> None:
    if name not in source.infos:
        why = source.skipped.get(name, "").rpartition(" (")[0] or f"{shard[:80]} does not hold it."
        code = "L12" if name in source.skipped else CODE
        refusal = RefusedFile(f"{name} is skipped.", why, "Download it again.", code=code)
        contents.skip(name, refusal)
        return
    info, mark = source.infos[name], File(path, shard).fingerprint
    read = partial(source.__getitem__, name)
    contents.add(Found(name, info.shape, info.dtype, read, info.about, info.role, mark=mark))


def _refusal(file: File, why: str, code: str) -> RefusedFile:
    return RefusedFile(f"{file.shown} is not read.", why, "Download it again.", code=code)
