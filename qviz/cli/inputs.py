"""What a word on the command line opens: a file, one tensor of it, or a sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qviz.errors import QvizError, UnknownName
from qviz.sources.base import TensorSource, open_file
from qviz.sources.folder import bundled, open_bundled
from qviz.sources.synthetic import Samples

FOLDER = Path(__file__).parents[2] / "sample_data"
SPLIT, SAMPLE, ALL = "::", "sample:", "samples"


def opened(word: str) -> tuple[TensorSource, tuple[str, ...]]:
    """A source and the tensors asked for: one by name, else all.

    ``FILE``, ``FILE::TENSOR``, ``sample:NAME`` (a bundled file or a made tensor),
    ``samples::NAME`` or ``samples``. Where a whole word is a file, it is that file.

    Raises
    ------
    QvizError
        No such file, tensor or sample, or a file that is refused.
    """
    for head, name in splits(word):
        source = _source(head)
        if source is not None:
            return source, _all(source) if name is None else (source.info(name).name,)
    sample = word.removeprefix(SAMPLE)
    if word != sample and sample in Samples().names:
        return Samples(), (sample,)
    if word != sample:
        raise UnknownName(f"No sample is called {sample!r}.", "", "See python -m qviz samples.")
    head, _, name = word.rpartition(SPLIT)
    return open_file(head or name), ()  # which says what is wrong with it


def splits(word: str) -> Iterator[tuple[str, str | None]]:
    """The whole word as a file; then file and tensor, the longest file first."""
    yield word, None
    at = word.rfind(SPLIT)
    while at >= 0:
        yield word[:at], word[at + len(SPLIT) :]
        at = word.rfind(SPLIT, 0, at)


def _source(word: str) -> TensorSource | None:
    if _exists(word):
        return open_file(word)
    if word == ALL:
        return Samples()
    files, name = bundled(FOLDER), word.removeprefix(SAMPLE)
    if name == word or name not in files:
        return None
    noted = open_bundled(FOLDER)
    return noted[name] if name in noted else open_file(files[name])


def _exists(word: str) -> bool:
    try:
        return bool(word) and Path(word).exists()
    except OSError:  # a name that is too long, say
        return False


def _all(source: TensorSource) -> tuple[str, ...]:
    if not source.names:
        skipped = "; ".join(f"{name}: {reason}" for name, reason in source.skipped.items())
        raise QvizError(f"{source.title} holds no tensor to compare.", skipped, "Open another.")
    return source.names
