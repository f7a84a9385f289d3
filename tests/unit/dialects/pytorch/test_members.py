"""Every torch member at work in a comparison, and what channels and fixed qparams have."""

import numpy as np
import pytest

from qviz.dialects.pytorch import MovingAveragePerChannelMinMaxObserver, PerChannelMinMaxObserver
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.registry import knobs_of
from qviz.spec import Granularity, QuantSpec
from qviz.stats.stream import Stream

CHANNELS = Granularity("per_channel", 0)
OBSERVED = [name for name in OBSERVERS if name.startswith("torch.")]
MODES = [name for name in QUANTIZERS if name.startswith("torch.")]
SPECS = (QuantSpec(8), QuantSpec(8, signed=True, symmetric=True), QuantSpec(4, signed=True))
RNG = np.random.default_rng(0)
BATCHES = [RNG.normal(size=(4, 12)).astype(np.float32) * (k + 1) for k in range(3)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("granularity", [Granularity(), CHANNELS, Granularity("per_group", -1, 4)])
def test_each_row_is_served_or_says_why(mode, granularity):
    observers = [OBSERVERS.make(name) for name in OBSERVED]
    for spec in SPECS:
        for row in compare(Stream.of(BATCHES), observers, Target.of(spec, granularity, mode)).rows:
            if row.refused is None:
                assert np.isfinite(row.totals.ee).all() and row.ends is not None
            else:
                assert len(row.refused) > 15


@pytest.mark.parametrize("name", OBSERVED + MODES)
def test_every_member_serves_something(name):
    mode = name if name in MODES else "torch.affine"
    observer = name if name in OBSERVED else "torch.torchao_minmax"
    targets = [Target.of(spec, g, mode) for spec in SPECS for g in (Granularity(), CHANNELS)]
    rows = [compare(Stream.of(BATCHES), [OBSERVERS.make(observer)], t).rows[0] for t in targets]
    assert any(row.refused is None for row in rows)


@pytest.mark.parametrize("name", OBSERVED + MODES)
def test_knobs_have_help_and_matter(name):
    registry = OBSERVERS if name in OBSERVED else QUANTIZERS
    for key, (knob, default) in knobs_of(registry[name]).items():
        assert knob.help
        other = knob.high if knob.high != default else knob.low
        assert registry.make(f"{name}:{key}={other}") != registry.make(name)


@pytest.mark.parametrize(
    ("name", "cls", "given"),
    [
        ("torch.per_channel_minmax", PerChannelMinMaxObserver, {}),
        (
            "torch.per_channel_moving_average",
            MovingAveragePerChannelMinMaxObserver,
            {"averaging_constant": 0.01},
        ),
    ],
)
@pytest.mark.parametrize("spec", [QuantSpec(8), QuantSpec(8, signed=True, symmetric=True)])
def test_channels_as_at_the_door(name, cls, given, spec):
    target = Target.of(spec, CHANNELS, "torch.per_channel_affine")
    (row,) = compare(Stream.of(BATCHES, CHANNELS), [OBSERVERS.make(name)], target).rows
    scheme = "per_channel_symmetric" if spec.symmetric else "per_channel_affine"
    observer = cls(dtype="qint8" if spec.signed else "quint8", qscheme=scheme, **given)
    for x in BATCHES:
        observer(x)
    scale, zero = observer.calculate_qparams()
    assert row.qparams["scale"].tolist() == scale.tolist()
    assert row.qparams["zero_point"].tolist() == zero.tolist()
    whole = Target.of(spec, mode="torch.affine")
    assert "choose per channel" in OBSERVERS.make(name).accepts(whole)


def test_fixed_qparams_stand_in_no_list():
    assert "torch.fixed_qparams" not in OBSERVERS.presets
    observer = OBSERVERS.make("torch.fixed_qparams:scale=0.0078125,zero_point=128")
    (row,) = compare(Stream.of(BATCHES), [observer], Target.of(QuantSpec(8))).rows
    assert (row.covered.lo[0], row.covered.hi[0]) == (-1, 127 / 128)
    assert "none of the codes" in observer.accepts(Target.of(QuantSpec(4)))
