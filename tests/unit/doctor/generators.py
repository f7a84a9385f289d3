"""For each rule one case that fires it, and the rules that fire with it for the same reason.

All else that fires is a note of what is expected.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from qviz.doctor import Bias, Case, Given
from qviz.spec import QuantSpec
from qviz.transforms.base import Operand

UINT8, UINT4 = QuantSpec(8), QuantSpec(4)
INT8 = QuantSpec(8, signed=True, symmetric=True)
NARROW = replace(INT8, narrow_range=True)


def rng(seed=0):
    return np.random.default_rng(seed)


def normal(*shape):
    return rng().standard_normal(shape or (10_000,)).astype(np.float32)


@dataclass(frozen=True)
class Fires:
    make: Callable[[], Case]
    also: tuple[str, ...] = ()
    why: str = ""


def far():
    return Case.of(normal() + 1000)


def moved():
    return Case.of(rng().uniform(1, 3, 10_000), mode="tf.fake_quant")


def knife():
    x = rng().uniform(-1, 1, 10_000).astype(np.float32)
    x[:2] = -1, 1
    return Case.of(x)


def softmax():
    x = np.exp(rng().standard_normal((64, 64)))
    return Case.of(x / x.sum(1, keepdims=True), INT8, role="activation")


def at_edge():
    return Case.of(normal(), observer="manual:lo=-4,hi=0")


def one_step():
    x = rng().uniform(-1, 1, 10_000)
    step = 2 / 255
    q = np.clip(np.rint(x / step) + 127, 0, 255)
    return Case.of(x, codes=q, given=Given.of(step, 128))


def power_of_two():
    x = rng().uniform(-1.02, 1.02, 10_000)
    return Case.of(x, INT8, observer="absmax", mode="power_of_two")


def jump():
    return Case.of([1e-4 * normal(1000), normal(1000)])


def overflow():
    return Case.of(bias=Bias(np.array([5.0, 0.1]), 0.5, np.array([1e-9, 1e-3])))


def tail():
    x = 0.02 * normal(50_000)
    x[:20] = 1
    return Case.of(x, observer="manual:lo=-0.077,hi=0.08")


def outlier():
    x = normal(128, 64)
    x[:, 7] *= 60
    return Case.of(x, INT8, role="activation")


def dead():
    x = normal(16, 64)
    x[4] = 0
    return Case.of(x, INT8, role="weight")


def underflow():
    w = normal(4, 64)
    w[1] *= 1e-7
    return Case.of(w, INT8, role="weight", granularity="per_channel:0")


def zero_weights():
    return Case.of(normal(32), QuantSpec(4, signed=True), importance=np.zeros(32))


def saturation():
    a = rng().uniform(0, 1, (32, 64))
    return Case.of(a, role="activation", operand=Operand(rng(1).uniform(0.5, 1, (16, 64)), 1))


def mixed():
    w = normal(32, 64) * np.logspace(-3, 0, 32, dtype=np.float32)[:, None]
    return Case.of(w, INT8, role="weight")


def nan():
    x = normal()
    x[3] = np.nan
    return Case.of(x)


def midpoint():
    spec = QuantSpec(8, symmetric=True, quant_min=0, quant_max=254)
    return Case.of(normal(), spec)


def uncalibrated():
    return Case.of(normal(), given=Given.of(1.0, 0, (-128, 127)))


def floor():
    w = normal(4, 64)
    w[1] *= 1e-7
    spec = QuantSpec(8, signed=True, symmetric=True)
    mode = "torch.affine"
    return Case.of(w, spec, role="weight", granularity="per_channel:0", mode=mode)


def spikes():
    x = normal(20_000)
    x[:4] = 60, -57.3, 55, -50
    return Case.of(x, UINT4)


def magnitudes():
    return Case.of(np.abs(normal()), observer="absmax")


def coarse():
    return Case.of(normal(), observer="ort.percentile:num_bins=64")


def halved_twice():
    spec = QuantSpec(8, signed=True, quant_min=-64, quant_max=63, reduce_range=True)
    return Case.of(normal(), spec)


def wrong_axis():
    w = normal(32, 64) * np.logspace(-2, 0, 64, dtype=np.float32)
    return Case.of(w, INT8, role="weight", granularity="per_channel:0")


def offset():
    return Case.of(normal(), INT8, given=Given.of(4 / 127, -128, (-128, 127)))


def nudged():
    return Case.of(np.linspace(-1, 3, 4001, dtype=np.float32))


def no_zero_point():
    return Case.of(normal(), symmetric_only=True)


def ties():
    x = rng().integers(-100, 101, 10_000).astype(np.float32) / 2
    return Case.of(x, given=Given.of(1.0, 100))


def slow():
    late = [normal(256) / 20 for _ in range(8)]
    return Case.of([normal(256), *late], observer="moving_average:rate=0.01")


def at_the_ends():
    q = np.where(normal() > 0, 127, -128).astype(np.int8)
    return Case.of(codes=q, given=Given.of(0.1, 0, (-128, 127)))


def no_zero():
    x = np.maximum(normal(), 0) - np.float32(0.001)
    return Case.of(np.where(x < 0, 0, x), mode="tf.min_combined", observer="manual:lo=-0.01,hi=4")


def diverged():
    return Case.of(normal(), given=Given.of(-0.03, 0, (-128, 127)))


def clipped():
    return Case.of(normal(), observer="manual:lo=-1.93,hi=2")


def one_sided():
    return Case.of(np.abs(normal()), INT8)


def beyond_float8():
    return Case.of(200 * normal(), stored_as="float8_e4m3fn")


def blocks():
    return Case.of(normal(64, 64), stored_as="mxfp8_e4m3")


def one_code():
    return Case.of(normal(), given=Given.of(100.0, 0, (-128, 127)))


GENERATORS = {
    "RANGE-FAR-FROM-ZERO": Fires(far),
    "NUDGE-MOVED-WINDOW": Fires(moved, ("ERROR-YARDSTICK",), "a note that names this cause"),
    "ZP-KNIFE-EDGE": Fires(knife),
    "KNOWN-RANGE": Fires(softmax),
    "ZP-AT-EDGE": Fires(
        at_edge, ("ERROR-YARDSTICK", "SATURATED-CODES"), "notes that name this cause"
    ),
    "BIAS-ONE-STEP": Fires(one_step),
    "POW2-WASTE": Fires(power_of_two),
    "RANGE-JUMP": Fires(jump),
    "BIAS-OVERFLOW": Fires(overflow),
    "CLIPPED-TAIL-MATTERS": Fires(tail, ("ERROR-YARDSTICK",), "a note that names this cause"),
    "OUTLIER-CHANNEL": Fires(outlier),
    "DEAD-CHANNEL": Fires(dead),
    "SCALE-UNDERFLOW": Fires(underflow),
    "ZERO-WEIGHTS": Fires(zero_weights),
    "HW-SATURATION": Fires(saturation),
    "MIXED-RANGES": Fires(mixed),
    "NON-FINITE": Fires(nan),
    "SYMMETRIC-UNSIGNED-MIDPOINT": Fires(midpoint, ("NON-NATIVE-CODES",), "0 to 254 is no type"),
    "UNCALIBRATED": Fires(uncalibrated),
    "SCALE-FLOOR": Fires(floor),
    "OUTLIERS-SET-RANGE": Fires(spikes),
    "ABS-HISTOGRAM-ON-ASYMMETRIC": Fires(magnitudes, ("ZP-KNIFE-EDGE",), "[-m, m] is a tie"),
    "COARSE-HISTOGRAM": Fires(coarse),
    "NON-NATIVE-CODES": Fires(halved_twice),
    "WRONG-AXIS": Fires(wrong_axis),
    "SYMMETRIC-WITH-OFFSET": Fires(offset, ("ERROR-YARDSTICK",), "a note that names this cause"),
    "NUDGED-ENDS": Fires(nudged),
    "TARGET-SYMMETRIC-ONLY": Fires(no_zero_point),
    "TIE-SENSITIVE": Fires(ties),
    "SLOW-AVERAGE": Fires(slow),
    "SATURATED-CODES": Fires(at_the_ends),
    "ZERO-NOT-EXACT": Fires(no_zero),
    "LEARNED-SCALE-DIVERGED": Fires(diverged),
    "ERROR-YARDSTICK": Fires(clipped),
    "HALF-UNUSED": Fires(one_sided),
    "FP8-OVERFLOW": Fires(beyond_float8),
    "MX-CLIPPED": Fires(blocks),
    "STEP-TOO-LARGE": Fires(one_code),
}
