"""The Batches view in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qviz.figures.numbers import integer, interval, number, percent
from qviz.pipeline.training_batches import NEWEST, WIDEST, Ride, forgotten
from qviz.quantizers.base import Quantizer
from qviz.quantizers.stateful import Export, Stateful

SAME = 1e-6  # of a scale: two answers that differ by less are one
KEPT = 1e-6  # of the width: a range that moved by less has stayed


def heading(rides: Sequence[tuple[str, Ride]], trained: int, count: int) -> str:
    """Who follows the batches and who does not."""
    if not rides:
        return "No object serves these codes"
    moved = [title for title, ride in rides if follows(ride)]
    if not trained:
        blind = len(rides) - len(moved)
        many = "none" if blind == len(rides) else str(len(moved))
        return f"In evaluation {many} of {len(rides)} objects looks at a batch: ranges stay"
    apart = [title for title, ride in rides if two_answers(ride)]
    many = f"{integer(count)} batch{'es' if count > 1 else ''}"
    said = f"After {many} {ranges(rides)}"
    if trained < count:
        said = f"In evaluation after training on {integer(trained)} of {many}, {ranges(rides)}"
    return said + (f"; {apart[0]} exports another scale than it trains with" if apart else "")


def together(titles: Sequence[str]) -> str:
    """Titles of objects that do the same, as one: ``MS default ascend, doc, gpu``."""
    first, *others = titles
    head = first.rpartition(" ")[0]
    if head and all(title.startswith(f"{head} ") for title in others):
        return ", ".join([first, *(title.removeprefix(f"{head} ") for title in others)])
    return ", ".join(titles)


def ranges(rides: Sequence[tuple[str, Ride]]) -> str:
    """``5 objects hold 3 ranges``."""
    kept: list[np.ndarray] = []
    for ends in (ride.held[-1] for _, ride in rides if len(ride.held)):
        finite = bool(np.isfinite(ends).all())
        near = max(1e-3 * float(ends[1] - ends[0]), 0.0) if finite else 0.0
        if not any(np.allclose(ends, k, rtol=0, atol=near, equal_nan=True) for k in kept):
            kept.append(ends)
    many = f"{len(kept)} range{'' if len(kept) == 1 else 's'}"
    return f"{len(rides)} object{'' if len(rides) == 1 else 's'} hold {many}"


def follows(ride: Ride) -> bool:
    """Whether the range moved at all from one batch to the next, or came with the first."""
    if len(ride.held) == 0:
        return False
    held = ride.held[np.isfinite(ride.held).all(axis=1)]
    width = float(np.ptp(held)) if held.size else 0.0
    return bool((np.abs(held - held[:1]) > KEPT * (width or 1.0)).any())


def qparams(quantizer: Quantizer | None) -> Export | None:
    """Scale and code of 0 that a batch went through."""
    if quantizer is None:
        return None
    found = quantizer.qparams()
    scale, zero = found["scale"], found["zero_point"]
    if scale is None or zero is None or not np.isfinite([scale[0], zero[0]]).all():
        return None
    return Export(float(scale[0]), int(zero[0]))


def two_answers(ride: Ride) -> bool:
    """Whether what would be exported is another scale than the one used last."""
    if not ride.after:
        return False
    used, export = qparams(ride.after[-1].quantizer), ride.after[-1].export
    if used is None or export is None or not math.isfinite(used.scale * export.scale):
        return False
    return abs(used.scale - export.scale) > SAME * abs(used.scale)


def sentence(title: str, member: Stateful, ride: Ride, trained: int, batches: np.ndarray) -> str:
    """What one object did, and how far it lags; ``batches`` are their extremes, (batches, 2)."""
    if not ride.after:
        return f"{title} has seen no batch with elements."
    held = ride.held[-1]
    used = qparams(ride.after[-1].quantizer)
    whose = _whose(ride, batches, trained)
    said = [f"{title}: {_holding(held, used, trained)}{whose}{_rest(len(batches), trained)}."]
    if ride.asleep:
        said.append("A fresh one is in evaluation until it is set to training.")
    through = sum(after.quantizer is None for after in ride.after)
    if through:
        said.append(f"The first {integer(through)} batches pass unquantized (quant_delay).")
    if used is None and ride.after[-1].quantizer is not None:
        said.append("It makes NaN of every value: the range has no width, or is not finite.")
    share, gone = member.start_share(trained), forgotten(member)
    if share is not None and trained:
        said.append(f"What it started from still weighs {percent(share)}{_until(gone)}.")
    if two_answers(ride):
        export = ride.after[-1].export
        if used is not None and export is not None:
            said.append(f"Two answers: it quantized with {pair(used)}, and exports "
                        f"{pair(export)}.")  # fmt: skip
    return " ".join(said)


def _holding(held: np.ndarray, used: Export | None, trained: int) -> str:
    if not np.isfinite(held).all():
        return "no range yet" + ("" if used is None else f", and it quantizes with {pair(used)}")
    text = interval(float(held[0]), float(held[1]))
    return f"holds {text}" if trained else f"the range it was made with, {text}, whatever comes"


def _whose(ride: Ride, batches: np.ndarray, trained: int) -> str:
    """Whose extremes a range is by its rule, not by chance; widened to hold 0 or not."""
    held, seen = ride.held[-1], batches[:trained]
    if len(seen) < 2 or not np.isfinite([held, seen[-1]]).all():
        return ""
    if ride.rule == WIDEST and _is(held, np.array([np.nanmin(seen[:, 0]), np.nanmax(seen[:, 1])])):
        every = trained >= len(batches)
        return f", the widest of {'all batches' if every else f'the {_trained(trained)}'}"
    if ride.rule == NEWEST and _is(held, seen[-1]):
        whose = "the last batch’s own" if trained >= len(batches) else (
            f"that of the last of the {_trained(trained)}"
        )  # fmt: skip
        return f", {whose}: those before are forgotten"
    return ""


def _trained(count: int) -> str:
    return f"{integer(count)} batches trained on"


def _rest(count: int, trained: int) -> str:
    """What became of the batches seen in evaluation, after some in training."""
    if not 0 < trained < count:
        return ""
    return f"; the other {integer(count - trained)} passed through and left it unchanged"


def _is(held: np.ndarray, ends: np.ndarray) -> bool:
    width = float(np.abs(ends).max()) or 1.0
    open_ends = np.array([min(ends[0], 0.0), max(ends[1], 0.0)])
    return any(np.allclose(held, e, rtol=0, atol=SAME * width) for e in (ends, open_ends))


def _until(gone: int | None) -> str:
    if gone is None:
        return ""
    when = "the first batch" if gone == 1 else f"{integer(gone)} batches"
    return f", and less than 1 % after {when}"


def pair(found: Export) -> str:
    """``scale 0.00784, zero point −128``."""
    return f"scale {number(found.scale, 4)}, zero point {integer(found.zero_point)}"
