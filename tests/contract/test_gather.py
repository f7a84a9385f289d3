"""The data pass: how often it reads, what it reuses, and that its results never waver."""

import subprocess
import sys
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch

from qviz.spec import Granularity
from qviz.stats.base import NOTHING, Batch, PerBatch, Running, Statistic
from qviz.stats.gather import gather
from qviz.stats.linear_histogram import LinearHistogram
from qviz.stats.minmax import MinMax
from qviz.stats.moments import Moments
from qviz.stats.quantiles import ExactQuantiles
from qviz.stats.sample import Sample
from qviz.stats.sketch import Sketch
from qviz.stats.stream import CHUNK, Stream, Tile

ALL = (
    MinMax(),
    Moments(),
    Sketch(16),
    Sketch(20),
    LinearHistogram(64),
    ExactQuantiles((0.001, 0.5, 0.999)),
    Sample(100),
)
SHALLOW = ALL[:4]


@dataclass(frozen=True)
class Largest(Running):
    """Order matters: the largest magnitude of each batch so far, in a list."""

    def start(self):
        return ()

    def step(self, state, batch):
        return (*state, float(np.abs(batch.x).max()))


@dataclass(frozen=True)
class Depth(Statistic):
    """A statistic that needs one less deep, and notes what it was given."""

    depth: int
    seen: ClassVar[list] = []

    @property
    def needs(self):
        return (Depth(self.depth - 1),) if self.depth else ()

    def of(self, rows, given):
        below = given[Depth(self.depth - 1)] if self.depth else 0
        self.seen.append((self.depth, below))
        return rows.size

    def merge(self, a, b):
        return a + b


@dataclass(frozen=True, eq=False)
class CountedBatch(Batch):
    """Counts how often rows are made: once a read."""

    reads: ClassVar[list] = []

    @property
    def rows(self):
        self.reads.append(1)
        return self.granularity.rows(self.x, self.tile)


def the_tile(x, granularity=None):
    (tile,) = Stream.of(x, granularity or Granularity()).tiles
    return tile


def reads_of(x, recipes, have=NOTHING):
    """Number of reads, as the batches and as the progress calls tell it."""
    calls = []
    CountedBatch.reads.clear()
    plain = the_tile(x)
    tile = Tile(tuple(CountedBatch(batch.x) for batch in plain.batches))
    seen = gather(tile, recipes, have, lambda done, total: calls.append((done, total)))
    reads = len(CountedBatch.reads) / len(tile.batches)
    assert {total for _, total in calls} <= {reads * tile.size}
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert not calls or calls[-1][0] == calls[-1][1]
    return reads, seen


X = np.random.default_rng(0).normal(size=(50, 40)).astype(np.float32)


@pytest.mark.parametrize(
    ("recipes", "reads"),
    [
        ((), 0),
        ((MinMax(),), 1),
        (SHALLOW, 1),
        ((LinearHistogram(8),), 2),
        (ALL, 2),
        ((Depth(0),), 1),
        ((Depth(2),), 3),
        ((*ALL, Depth(1)), 2),
    ],
)
def test_one_read_for_each_depth_of_needs(recipes, reads):
    assert reads_of(X, recipes)[0] == reads
    assert reads_of([X, X * 2], recipes)[0] == reads


def test_per_batch_and_running_are_served_in_the_first_read():
    recipes = (PerBatch(MinMax()), Largest(), MinMax(), PerBatch(Moments()))
    reads, seen = reads_of([X, 2 * X, X / 2], recipes)
    assert reads == 1
    top = float(np.abs(X).max())
    assert seen[Largest()] == (top, 2 * top, top / 2)
    assert [s.hi[0] for s in seen[PerBatch(MinMax())]] == [X.max(), 2 * X.max(), X.max() / 2]
    assert seen[MinMax()].hi[0] == 2 * X.max()
    assert seen.batches == 3
    assert len(seen.upto(2)[PerBatch(Moments())]) == 2


def test_progress_is_told_also_where_a_batch_is_only_stepped_over():
    calls = []
    gather(the_tile([X, X]), (Largest(),), progress=lambda *call: calls.append(call))
    assert calls == [(X.size, 2 * X.size), (2 * X.size, 2 * X.size)]


def test_needs_are_complete_before_they_are_given():
    Depth.seen.clear()
    x = np.zeros(2 * CHUNK + 3, np.float32)
    seen = gather(the_tile(x), (Depth(2),))
    assert Depth.seen == [(0, 0)] * 3 + [(1, x.size)] * 3 + [(2, x.size)] * 3
    assert seen[Depth(2)] == x.size


def test_needs_of_a_per_batch_recipe_are_those_of_the_batch():
    recipe = LinearHistogram(4)
    seen = gather(the_tile([X, 10 * X]), (PerBatch(recipe), recipe))
    first, second = seen[PerBatch(recipe)]
    assert first.edges[0, [0, -1]].tolist() == [X.min(), X.max()]
    assert (first.counts == second.counts).all()
    assert seen[recipe].edges[0, 0] == np.float32(10) * X.min()
    assert seen[recipe].counts.sum() == 2 * X.size


def test_only_what_is_missing_is_read():
    _, have = reads_of(X, (MinMax(), Sketch(16)))
    reads, seen = reads_of(X, (MinMax(), LinearHistogram(8)), have)
    assert reads == 1
    assert seen[MinMax()] is have[MinMax()]
    assert seen[Sketch(16)] is have[Sketch(16)]
    assert reads_of(X, (MinMax(), Sketch(16)), have)[0] == 0
    assert reads_of(X, (Moments(), LinearHistogram(8), Depth(1)), have)[0] == 2


def test_an_interrupted_gather_says_so_and_leaves_what_was_known():
    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    have = gather(the_tile(X), (MinMax(),))
    with pytest.raises(Stop):
        gather(the_tile(X), (Moments(),), have, stop)
    assert list(have.states) == [MinMax()]


def flat(state):
    """All arrays and numbers of a state, by name."""
    if isinstance(state, np.ndarray):
        return {"": state}
    if isinstance(state, tuple | list):
        state = dict(enumerate(state))
    if isinstance(state, dict):
        parts = state
    elif is_dataclass(state):
        parts = {field.name: getattr(state, field.name) for field in fields(state)}
    else:
        return {"": np.array(state)}
    return {f"{k}.{name}": v for k, part in parts.items() for name, v in flat(part).items()}


def same_bits(a, b):
    a, b = flat(a), flat(b)
    assert a.keys() == b.keys()
    for name in a:
        assert a[name].dtype == b[name].dtype, name
        assert a[name].shape == b[name].shape, name
        assert a[name].tobytes() == b[name].tobytes(), name


def bits_of(state, group):
    """What a state of several groups says of one of them, as bytes."""
    facts = flat(state)
    return {name: v[group].tobytes() for name, v in facts.items() if v.ndim}


WIDE = np.random.default_rng(1).standard_t(3, (70, 20_000)).astype(np.float32)


@pytest.mark.parametrize("layout", ["rows", "columns", "middle"])
def test_tiles_are_bit_equal_to_one_tile(layout):
    x = {
        "rows": WIDE,
        "columns": np.ascontiguousarray(WIDE.T),
        "middle": WIDE.reshape(70, 100, 200).transpose(1, 0, 2).copy(),
    }[layout]
    axis = {"rows": 0, "columns": 1, "middle": 1}[layout]
    tiles = Stream.of(x, Granularity("per_channel", axis)).tiles
    assert [tile.groups for tile in tiles] == [52, 18]
    parts = [gather(tile, SHALLOW) for tile in tiles]
    for recipe in SHALLOW:
        whole = recipe.of(WIDE, NOTHING)
        for group in range(70):
            part, inside = divmod(group, 52)
            assert bits_of(whole, group) == bits_of(parts[part][recipe], inside)


def test_long_channels_are_bit_equal_to_the_same_rows_alone():
    x = np.random.default_rng(2).normal(size=(2, CHUNK + 1000)).astype(np.float32)
    tiles = Stream.of(x, Granularity("per_channel", 0)).tiles
    assert [tile.groups for tile in tiles] == [1, 1]
    for row, tile in zip(x, tiles, strict=True):
        seen, alone = gather(tile, ALL), gather(the_tile(row), ALL)
        for recipe in ALL:
            same_bits(seen[recipe], alone[recipe])
        assert seen[ALL[5]].values[0, 1] == np.median(row.astype(np.float64))


def test_results_are_the_same_bits_in_20_repeats():
    x = np.random.default_rng(3).normal(size=(3, 100_000)).astype(np.float32)
    first = gather(the_tile([x, x / 3]), ALL)
    for _ in range(19):
        again = gather(the_tile([x, x / 3]), ALL)
        for recipe in ALL:
            same_bits(first[recipe], again[recipe])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float8_e4m3fn])
def test_torch_threads_do_not_change_a_bit(dtype):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(3, 500_000, generator=generator).to(dtype)
    seen = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        seen.append(gather(the_tile(x), ALL))
    torch.set_num_threads(1)
    for recipe in ALL:
        same_bits(seen[0][recipe], seen[1][recipe])


SCRIPT = """
import sys, threading, time
import numpy as np
from qviz.stats.gather import gather
from qviz.stats.linear_histogram import LinearHistogram
from qviz.stats.minmax import MinMax
from qviz.stats.moments import Moments
from qviz.stats.quantiles import ExactQuantiles
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream

def anonymous():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024

x = np.load(sys.argv[1], mmap_mode="r")
recipes = (MinMax(), Moments(), Sketch(16), Sketch(20), LinearHistogram(2048),
           ExactQuantiles((0.001, 0.999)))
idle = anonymous()
highest, done = [idle], threading.Event()

def watch():
    while not done.wait(0.0005):
        highest[0] = max(highest[0], anonymous())

watcher = threading.Thread(target=watch)
watcher.start()
seen = gather(Stream.of(x).tiles[0], recipes)
done.set()
watcher.join()
print(seen[MinMax()].n[0], seen[MinMax()].zero[0], highest[0] - idle)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_a_mapped_file_of_1e8_elements_takes_at_most_64_megabytes(tmp_path):
    n, block = 10**8, np.random.default_rng(4).normal(size=2**20).astype(np.float32)
    path = tmp_path / "sparse.npy"
    with path.open("wb") as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": (n,)}
        np.lib.format.write_array_header_1_0(file, header)
        start = file.tell()
        file.truncate(start + 4 * n)
        for place in (0, 2 * n, 4 * n - block.nbytes):
            file.seek(start + place)
            file.write(block.tobytes())
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        (sys.executable, "-c", SCRIPT, str(path)),
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    elements, zeros, megabytes = ended.stdout.split()
    assert int(elements) == n
    assert int(zeros) == n - 3 * 2**20 + 3 * int((block == 0).sum())
    assert float(megabytes) <= 64


def test_what_a_layout_makes_a_read_copy_is_not_kept():
    tile = the_tile(X.reshape(5, 10, 40).transpose(1, 0, 2))
    seen = gather(tile, (MinMax(), PerBatch(Moments())))
    assert seen[MinMax()].n[0] == X.size
    assert "rows" not in vars(tile.batches[0])
