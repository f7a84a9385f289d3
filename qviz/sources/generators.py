"""The samples themselves. Each is the same at every call: quantiles, or a fixed seed."""

from __future__ import annotations

import numpy as np

from qviz.sources.distributions import even, heavy_tailed, laplace, normal, scattered
from qviz.sources.synthetic import generator

SIZE = 8192
LARGE = 1_000_000


def _draw(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


@generator(
    "gaussian",
    shape=(LARGE,),
    role="weight",
    about="A million normal values: the rare ones far out stretch the range for all others.",
)
def _gaussian() -> np.ndarray:
    return _draw(1, LARGE)


@generator(
    "laplace",
    shape=(20001,),
    role="weight",
    about="A sharp peak with long tails: the best 4-bit clip lies at half the largest value.",
)
def _laplace() -> np.ndarray:
    return laplace(20001).astype(np.float32)


@generator(
    "student_t",
    title="Heavy-tailed activations",
    shape=(1000, 1000),
    about="A few far values set the range: the largest is over 250 times the typical one.",
)
def _student_t() -> np.ndarray:
    return heavy_tailed(LARGE, seed=2).reshape(1000, 1000)


@generator(
    "relu",
    shape=(SIZE,),
    about="Half of it is exactly 0 and nothing is negative: a symmetric grid wastes one bit.",
)
def _relu() -> np.ndarray:
    return np.maximum(scattered(normal(SIZE)), 0).astype(np.float32)


@generator(
    "gelu_tail",
    shape=(64, 256),
    about="A short negative tail to -0.16: of 256 codes only five are left for it.",
)
def _gelu_tail() -> np.ndarray:
    x = 2 * _draw(3, 64, 256)
    return x / (1 + np.exp(-1.702 * x))  # the logistic form of GELU


@generator(
    "bimodal",
    shape=(SIZE,),
    about="Two heaps with nothing between them: the codes in the gap stay unused.",
)
def _bimodal() -> np.ndarray:
    x = 0.25 * _draw(4, SIZE)
    x[::2] -= 2
    x[1::2] += 3
    return x


@generator(
    "outlier_channel",
    shape=(128, 64),
    about="Channel 7 is 60 times louder; one step for all leaves the others 7 codes.",
)
def _outlier_channel() -> np.ndarray:
    x = scattered(normal(SIZE)).reshape(128, 64)
    x[:, 7] *= 60
    return x.astype(np.float32)


@generator(
    "uniform",
    shape=(4096,),
    about="Every code is used alike: the yardstick of 6 dB for each bit.",
)
def _uniform() -> np.ndarray:
    return (3 * even(4096)).astype(np.float32)


@generator(
    "softmax",
    shape=(64, 64),
    about="Rows that sum to 1: most values are so small that a step of 1/255 makes them 0.",
)
def _softmax() -> np.ndarray:
    x = np.exp(3 * _draw(5, 64, 64))
    return x / x.sum(axis=1, keepdims=True)


@generator(
    "masked_scores",
    shape=(64, 64),
    about="Attention scores with -1e9 where masked: the mask takes the whole range.",
)
def _masked_scores() -> np.ndarray:
    return np.where(np.tri(64, dtype=bool), 2 * _draw(6, 64, 64), np.float32(-1e9))


@generator(
    "non_finite",
    shape=(4096,),
    about="One NaN and two infinities: a careless minimum and maximum make the scale NaN.",
)
def _non_finite() -> np.ndarray:
    x = _draw(7, 4096)
    x[[3, 1000, 2000]] = np.nan, np.inf, -np.inf
    return x


@generator(
    "dead_channel",
    shape=(16, 256),
    role="weight",
    about="Row 4 is all 0 and row 9 below 1e-6: their own scale is 0 or nearly so.",
)
def _dead_channel() -> np.ndarray:
    x = _draw(8, 16, 256)
    x[4] = 0
    x[9] *= 1e-7
    return x


@generator(
    "constant",
    shape=(4096,),
    about="A single value: the range has no width, and each rule mends that in its own way.",
)
def _constant() -> np.ndarray:
    return np.full(4096, 5, np.float32)


@generator(
    "drifting_batches",
    shape=(12, 512),
    batch_axis=0,
    about="Twelve batches that grow, one of them with a spike: rules differ in memory.",
)
def _drifting_batches() -> np.ndarray:
    x = _draw(9, 12, 512) * np.linspace(1, 3, 12, dtype=np.float32)[:, None]
    x[4, 100] = 40
    return x


@generator(
    "narrow_far",
    shape=(10_000,),
    about="A narrow band at 1000: as 0 must stay representable, three codes serve it all.",
)
def _narrow_far() -> np.ndarray:
    return 1000 + _draw(10, 10_000)


@generator(
    "rare_peaks",
    shape=(200_000,),
    about="Forty peaks in 200 000 values are the signal; entropy rules clip them away.",
)
def _rare_peaks() -> np.ndarray:
    x = np.abs(np.float32(0.02) * _draw(11, 200_000))
    x[2500::5000] = np.linspace(0.6, 1, 40, dtype=np.float32)
    return x


@generator(
    "mixed_weight_ranges",
    shape=(32, 9),
    role="weight",
    about="Filters from 0.001 to 1 in one tensor: a shared step erases the small ones.",
)
def _mixed_weight_ranges() -> np.ndarray:
    return _draw(12, 32, 9) * np.logspace(-3, 0, 32, dtype=np.float32)[:, None]


@generator(
    "integer_codes",
    shape=(4096,),
    role="weight",
    about="Whole numbers from -127 to 127: it has been quantized already.",
)
def _integer_codes() -> np.ndarray:
    return np.clip(np.rint(40 * _draw(13, 4096)), -127, 127)
