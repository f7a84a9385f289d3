"""What is known of one tensor before it is quantized: extremes, shape of its values, channels."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from qviz.errors import RefusedFile
from qviz.models.model import Model, activation_axis, read_model
from qviz.pipeline.channel_facts import loud_channels, median_of
from qviz.sources.base import TensorInfo, TensorSource
from qviz.sources.captured.gathered import ChannelEnds
from qviz.sources.captured.source import Captured
from qviz.sources.codes import VALUES
from qviz.sources.contents import FileSource
from qviz.sources.onnx.loader import OnnxLoader
from qviz.spec import Granularity, Role
from qviz.stats.base import Seen
from qviz.stats.cells import Cells
from qviz.stats.fourth import Fourth
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream
from qviz.stats.tight import Tight, divided

SKETCH, FOURTH = Sketch(16), Fourth()
SHARES = (0.01, 0.5, 0.99)
BARS = 26


@dataclass(frozen=True, eq=False)
class Facts:
    """Statistics of one tensor and extremes of its channels; ``axis`` is theirs in a batch."""

    info: TensorInfo
    op: str
    axis: int | None
    seen: Seen
    channels: ChannelEnds | None

    @property
    def extremes(self) -> tuple[float, float] | None:
        """Least and greatest finite element."""
        state = self.seen[MinMax()]
        return (float(state.lo[0]), float(state.hi[0])) if state.finite[0] else None

    @property
    def cells(self) -> Cells:
        """The distribution of all elements."""
        return self.seen[SKETCH].cells

    @property
    def kurtosis(self) -> float | None:
        """Fourth central moment over the squared variance; None where all elements are equal."""
        smeared = kurtosis(self.cells)
        exact = self.seen[FOURTH].kurtosis if FOURTH in self.seen else None
        return smeared if smeared is None or exact is None else exact

    @property
    def ends(self) -> tuple[float, ...] | None:
        """Minimum, 1st percentile, median, 99th percentile, maximum."""
        found = self.extremes
        if found is None:
            return None
        quantiles = (float(self.cells.quantile(share)[0]) for share in SHARES)
        return (found[0], *(min(max(q, found[0]), found[1]) for q in quantiles), found[1])

    @property
    def ratio(self) -> float | None:
        """Largest magnitude of the loudest channel over that of the median channel."""
        amax = self._amax
        middle = median_of(amax)
        return float(amax.max()) / middle if len(amax) > 1 and middle > 0 else None

    @property
    def loudest(self) -> int | None:
        """The channel with the largest magnitude: the one that sets a shared step."""
        amax = self._amax
        return int(amax.argmax()) if len(amax) > 1 and amax.max() > 0 else None

    @property
    def loud(self) -> tuple[int, ...]:
        """Channels at least 4 times the median and above half of the loudest."""
        amax = self._amax
        return tuple(np.flatnonzero(loud_channels(amax)).tolist()) if len(amax) > 1 else ()

    @property
    def _amax(self) -> np.ndarray:
        return np.zeros(0) if self.channels is None else self.channels.amax


def graph_of(source: TensorSource) -> Model | None:
    """The graph of an ONNX file that was opened; None of anything else."""
    if not isinstance(source, FileSource) or not OnnxLoader().matches(source.file):
        return None
    try:
        return read_model(source.file.path, source.title)
    except RefusedFile:  # it holds tensors, but nothing that runs
        return None


def facts_of(source: TensorSource, name: str, graph: Model | None = None) -> Facts:
    """Facts from the statistics of a capture; of other sources from the values.

    ``graph`` is that of an ONNX file: it knows operations, and where channels lie.

    Raises
    ------
    QvizError
        The tensor cannot be read, or its elements are no real numbers.
    """
    info = source.info(name)
    if isinstance(source, Captured) and (seen := source.statistics(name)) is not None:
        return Facts(info, source.ops[name], source.axes[name], seen, source.channels(name))
    stream = stream_of(source, name)
    tile = stream.tiles[0]
    read = gather(tile, (MinMax(), FOURTH, Tight()))
    cells = divided(tile, read[Tight()])[1].sketch
    seen = Seen({MinMax(): read[MinMax()], FOURTH: read[FOURTH], SKETCH: cells}, read.batches)
    axis = axis_of(source, name, graph)
    op = "" if graph is None else graph.ops.get(name.removesuffix(VALUES), "")
    return Facts(info, op, axis, seen, _channels(stream, axis))


def axis_of(source: TensorSource, name: str, graph: Model | None = None) -> int | None:
    """The axis of a batch that holds a tensor's channels; None without. No value is read."""
    info = source.info(name)
    if isinstance(source, Captured) and source.statistics(name) is not None:
        return source.axes[name]
    rank = len(info.shape) - (info.batch_axis is not None)
    if graph is not None:
        return graph.channel_axis(name.removesuffix(VALUES), rank)
    if info.role != Role.ACTIVATION:
        return 0 if rank > 1 else None
    return activation_axis("", rank)


def graph_axis(source: TensorSource, name: str) -> int | None:
    """The same where a graph says so: of captures and ONNX files; None of all others."""
    if isinstance(source, Captured):
        return source.axes[source.info(name).name]
    graph = graph_of(source)
    return None if graph is None else axis_of(source, name, graph)


def stream_of(source: TensorSource, name: str) -> Stream:
    """The batches of a tensor, per tensor."""
    info = source.info(name)
    array = source[name]
    return Stream.of(
        info.batched(array) if info.batch_axis is None else array, batch_axis=info.batch_axis
    )


def _channels(stream: Stream, axis: int | None) -> ChannelEnds | None:
    counts = set() if axis is None else {b.shape[axis] for b in stream.batches}
    if axis is None or len(counts) != 1:
        return None
    along = Stream.of(list(stream.batches), Granularity("per_channel", axis))
    parts = [gather(tile, (MinMax(),))[MinMax()] for tile in along.tiles]
    names = [field.name for field in fields(MinMaxState)]
    whole = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return ChannelEnds(axis, whole["lo"], whole["hi"])


def kurtosis(cells: Cells) -> float | None:
    """Fourth central moment over the squared variance of the first group.

    Inside a cell values are taken as evenly spread. None without elements or without spread.
    """
    count = cells.count[0].astype(np.float64)
    total, top = count.sum(), float(np.abs([cells.lo[0], cells.hi[0]]).max(initial=0.0))
    if not total or not top or not np.isfinite(top):
        return None
    lo, hi = cells.lo[0] / top, cells.hi[0] / top  # no power overflows
    mean = (count * (lo + hi)).sum() / (2 * total)
    a, b = lo - mean, hi - mean
    second = (count * (a * a + a * b + b * b)).sum() / (3 * total)
    fourth = (count * (a**4 + a**3 * b + (a * b) ** 2 + a * b**3 + b**4)).sum() / (5 * total)
    flat = second <= np.finfo(np.float64).eps ** 2
    return None if flat else float(fourth / second**2)


def bars(cells: Cells, ends: tuple[float, ...] | None) -> tuple[float, ...]:
    """Elements in each of 26 equal bins from the least to the greatest; empty without any."""
    if ends is None or not (width := ends[-1] - ends[0]) or not np.isfinite(width):
        return ()
    middle = (cells.lo[0] + cells.hi[0]) / 2
    at = np.clip((middle - ends[0]) / width * BARS, 0, BARS - 1).astype(np.intp)
    return tuple(np.bincount(at, cells.count[0], BARS).tolist())
