"""``capture``: run a model under limits and keep what its nodes give."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qviz.cli.inputs import FOLDER, SAMPLE
from qviz.errors import QvizError
from qviz.models.feeds import BATCH, Feeds, batches
from qviz.models.limits import (
    MEMORY,
    MOST_MEMORY,
    MOST_SECONDS,
    SECONDS,
    Limits,
    limit_this_process,
    out_of_memory,
)
from qviz.models.model import read_model
from qviz.sources.captured.writing import write
from qviz.sources.folder import bundled

PROGRESS = "{} {} of {}"
RAN = "runs took {:.3f} s"  # of the model itself; read where progress is


def add(commands: Any) -> None:
    """Add the command."""
    words = "Run an ONNX model under limits; keep the statistics of all that its nodes give."
    made = commands.add_parser("capture", help=words, description=words)
    add_options(made)
    made.add_argument("--out", required=True, type=Path, metavar="NPZ", help="where to save it")
    made.add_argument("--values", action="store_true", help="keep all values, also of over 64 MiB")
    partly = "keep the batches that are done when the time is over"
    made.add_argument("--partly", action="store_true", help=partly)
    made.add_argument("--only", action="append", default=[], metavar="NAME", help="this value only")
    made.set_defaults(run=run)


def add_options(made: argparse.ArgumentParser) -> None:
    """Declare what is run, on what, and within which limits."""
    made.add_argument("model", metavar="MODEL", help="an .onnx file, or sample:NAME")
    made.add_argument("--shown", default="", help=argparse.SUPPRESS)
    made.add_argument("--inputs", metavar="FILE", help=".npz or .npy, or sample:NAME; else made")
    made.add_argument(
        "--axis",
        action="append",
        default=[],
        metavar="NAME=N",
        help="length of an open axis, where inputs are made",
    )
    made.add_argument("--batches", type=int, metavar="N", help="at most so many")
    made.add_argument("--batch", type=int, default=BATCH, metavar="N", help="samples in a batch")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of values that are made")
    made.add_argument("--memory", type=float, default=MEMORY / 2**30, metavar="GIB")
    made.add_argument("--seconds", type=float, default=SECONDS, metavar="S")


def asked(options: argparse.Namespace) -> tuple[Path, Feeds, Limits]:
    """The model, its inputs and the limits that the options ask for."""
    inputs = None if options.inputs is None else path_of(options.inputs)
    axes = dict(_axis(word) for word in options.axis)
    if inputs is not None and axes:
        why = "The inputs say how long each axis is."
        raise QvizError(
            "--axis has nothing to say beside --inputs.", why,
            "Leave it out; --batch sets the samples of a batch.",
        )  # fmt: skip
    limits = _limits(options.memory, options.seconds)
    feeds = Feeds(inputs, axes, options.batches, options.batch, options.seed)
    return path_of(options.model), feeds, limits


def _limits(memory: float, seconds: float) -> Limits:
    asked_for = ("--memory", memory, MOST_MEMORY / 2**30), ("--seconds", seconds, MOST_SECONDS)
    for name, value, most in asked_for:
        if not 0 < value <= most:
            what = f"{name} {value:g} is no limit."
            raise QvizError(what, f"A limit is above 0 and at most {most:,.0f}.", f"Give {name}.")
    return Limits(round(memory * 2**30), seconds)


def path_of(word: str) -> Path:
    """The file that a word names: a path, or ``sample:NAME``."""
    name = word.removeprefix(SAMPLE)
    files = bundled(FOLDER)
    return files[name] if name != word and name in files else Path(word)


def run(options: argparse.Namespace) -> int:
    """Run it; a line of progress for each batch."""
    late: list[Callable[[], int]] = []  # saves what there is when the time is over
    limits = asked(options)[-1]
    limit_this_process(limits, lambda _: _keep(late))
    try:
        with tempfile.TemporaryDirectory(dir=options.out.parent) as folder:
            _run(options, Path(folder), late)
    except OSError as error:
        raise QvizError("The capture cannot be written.", f"{error.strerror}.", "") from error
    except MemoryError as error:
        raise out_of_memory(limits.memory) from error
    return 0


def _run(options: argparse.Namespace, folder: Path, late: list[Callable[[], int]]) -> None:
    from qviz.models.running import Run, weights  # loads the runtime

    path, feeds, limits = asked(options)
    model = read_model(path, options.shown)
    fed = batches(model, feeds)
    made = Run(model, limits, folder, only=options.only, values=options.values)

    def save() -> int:
        done = made.close()
        if done:
            print(RAN.format(made.ran), file=sys.stderr, flush=True)
            stored, missed = ([], {}) if options.only else weights(model)
            mark = model.file.fingerprint_of(" ".join(feeds.words()), (), "capture")
            parts, skipped = [*made.entries(), *stored], made.skipped | missed
            write(options.out, model.file.shown, mark, parts, skipped)
        return done

    if options.partly:
        late.append(save)
    made.run(fed, tell, partly=options.partly)
    save()


def _keep(late: list[Callable[[], int]]) -> None:
    """End well where there was a batch to be saved."""
    if any(save() for save in late):
        os._exit(0)


def tell(done: int, count: int, of: str = "batch") -> None:
    """A line of progress, ``of`` batches or steps; ``qviz.models.jobs`` reads it."""
    print(PROGRESS.format(of, done, count), file=sys.stderr, flush=True)


def _axis(word: str) -> tuple[str, int]:
    name, _, length = word.rpartition("=")
    if not name or not length.isdecimal() or not int(length):
        raise QvizError(f"{word!r} gives no axis a length.", "", "Write --axis batch=8.")
    return name, int(length)
