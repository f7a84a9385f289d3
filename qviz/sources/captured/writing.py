"""Writes a captured model as one archive; docs/capture.md describes the layout."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from qviz.errors import QvizError
from qviz.sources.base import TensorInfo
from qviz.sources.captured.described import Contradiction, described, skipped
from qviz.sources.captured.gathered import Gathered
from qviz.sources.contents import MOST
from qviz.sources.npz import ENTRIES

FORMAT, VERSION = "qviz capture", 2
MARK = "capture.json"
PIECE = 2**22  # bytes of values copied at a time
LARGEST = 16 * 2**20  # bytes of capture.json
FEWER = "Choose some: --only NAME, or modules=[...] in Python."
NUMBERS = {  # member: element type and columns; 0 for a plain list
    "extremes": ("<f8", 8),
    "channels": ("<f8", 2),
    "moments": ("<f8", 6),
    "sorted": ("<f8", 0),
    "lows": ("<f8", 0),
    "highs": ("<f8", 0),
    "counts": ("<i8", 0),
    "distinct": ("<f8", 0),
    "repeats": ("<i8", 0),
    "lengths": ("<i8", 5),
}
KEPT = ENTRIES - len(NUMBERS) - 1  # tensors with values: an archive lists no more members
Values = Callable[[IO[bytes]], None]  # writes the elements, in order, to a stream


@dataclass(frozen=True, eq=False)
class Entry:
    """One tensor to be written; ``values`` writes its elements, None where they are not kept."""

    info: TensorInfo
    op: str
    axis: int | None
    gathered: Gathered
    values: Values | None = None


def fitting(tensors: int, *, values: bool) -> bool:
    """Whether the values of so many tensors fit into one archive.

    Raises
    ------
    QvizError
        The tensors do not fit without values either, or ``values`` are asked for.
    """
    if tensors > MOST:
        what, most = f"{tensors} tensors are no capture.", MOST
        raise QvizError(what, f"One archive holds {most} at most.", FEWER)
    if values and tensors > KEPT:
        what, why = f"The values of {tensors} tensors are not kept.", f"holds those of {KEPT}"
        raise QvizError(what, f"One archive {why} at most.", FEWER)
    return tensors <= KEPT


def write(
    path: Path, model: str, mark: str, entries: Sequence[Entry], skipped: Mapping[str, str]
) -> None:
    """Write the archive; the file appears under its name when it is complete.

    Values that do not fit are left out, those first that a run of the model gives again.

    Raises
    ------
    QvizError
        It would be none that opens again: too many tensors, names that take too much room or
        that no file can hold.
    """
    fitting(len(entries), values=False)
    entries, part = _fitted(entries), path.with_name(f"{path.name}.part")
    said = {"format": FORMAT, "version": VERSION, "model": model, "mark": mark}
    tensors = [_tensor(at, entry) for at, entry in enumerate(entries)]
    text = _text(said | {"tensors": tensors, "skipped": dict(skipped)})
    with zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(MARK, text)
        for name, (dtype, width) in NUMBERS.items():
            _write_numbers(archive, name, _numbers(name, entries, dtype, width))
        for at, entry in enumerate(entries):
            if entry.values is not None:
                _write_values(archive, f"values/{at}", entry)
    part.replace(path)


def _fitted(entries: Sequence[Entry]) -> Sequence[Entry]:
    there = [at for at, entry in enumerate(entries) if entry.values is not None]
    there.sort(key=lambda at: entries[at].info.role == "activation")  # sorting is stable
    lost = set(there[KEPT:])
    return [replace(e, values=None) if at in lost else e for at, e in enumerate(entries)]


def _text(said: Mapping[str, Any]) -> str:
    """What ``capture.json`` says, as far as it would be read again."""
    text, what = json.dumps(said, allow_nan=False), "The capture cannot be saved."
    if len(text) > LARGEST:
        why = f"Its names take {len(text)} bytes; {LARGEST} are allowed."
        raise QvizError(what, why, FEWER)
    try:
        described(said)
        skipped(said)
    except Contradiction as error:
        raise QvizError(what, f"No file can hold {error}.", "Rename or leave it out.") from error
    return text


def _tensor(at: int, entry: Entry) -> dict[str, Any]:
    info, gathered = entry.info, entry.gathered
    return {
        "name": info.name,
        "op": entry.op,
        "role": info.role,
        "dtype": _stored(info),
        "kind": gathered.kind,
        "shape": list(info.shape),
        "splits": list(info.splits),
        "axis": entry.axis,
        "sketch": "counts" if gathered.sorted is None else "sorted",
        "exact": gathered.exact,
        "few": gathered.distinct is not None,
        "values": None if entry.values is None else at,
    }


def _stored(info: TensorInfo) -> str:
    """The element type; bfloat16 and float8 become float32, which holds them: NumPy lacks them."""
    return info.dtype if hasattr(np, info.dtype) else "float32"


def _numbers(name: str, entries: Iterable[Entry], dtype: str, width: int) -> np.ndarray:
    columns = [_column(name, entry.gathered) for entry in entries]
    empty = np.zeros((0, width) if width else 0)
    return np.concatenate([empty, *columns]).astype(dtype)


def _column(name: str, gathered: Gathered) -> np.ndarray:
    if name == "lengths":
        return np.array([[len(_column(part, gathered)) for part in LENGTHS]])
    if name == "moments":
        return gathered.moments[None, :]
    if name == "channels":
        ends = gathered.channels
        return np.zeros((0, 2)) if ends is None else np.stack([ends.lo, ends.hi], axis=1)
    found = getattr(gathered, name)
    return np.zeros(0) if found is None else found


LENGTHS = ("extremes", "channels", "sorted", "counts", "distinct")  # columns of ``lengths``


def _write_numbers(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
        out.write(header(array.dtype, array.shape))
        for start in range(0, len(array), PIECE // 8):
            out.write(array[start : start + PIECE // 8].tobytes())


def _write_values(archive: zipfile.ZipFile, name: str, entry: Entry) -> None:
    if entry.values is None:
        return
    with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
        out.write(header(np.dtype(_stored(entry.info)).newbyteorder("<"), entry.info.shape))
        entry.values(out)


def values_of(array: np.ndarray) -> Values:
    """Writes an array that is at hand, some megabytes at a time."""
    flat = np.ascontiguousarray(array).reshape(-1)

    def values(out: IO[bytes]) -> None:
        for start in range(0, len(flat), PIECE):
            part = flat[start : start + PIECE]
            out.write(part.astype(part.dtype.newbyteorder("<"), copy=False).tobytes())

    return values


def header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The header of a .npy file whose elements are written by someone else."""
    out = io.BytesIO()
    said = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, said)
    return out.getvalue()
