"""torchao's observers on random streams, beside the same formulas written down in torch."""

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from qviz.dialects.pytorch import PerAxis, PerGroup, PerRow, PerTensor, PerToken
from tests.unit.dialects.pytorch.oracle import batch, in_both_kinds, same

MAPPINGS = ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC")
CODES = {"int4": (-8, 7), "uint4": (0, 15), "int8": (-128, 127), "uint8": (0, 255)}
SHARED = ((PerTensor(), (0, 1)), (PerAxis(0), (1,)), (PerAxis(1), (0,)), (PerRow(), (1,)))
SHARED += ((PerToken(), (1,)), (PerGroup(4), (2,)))


def split(x, granularity):
    return x.view(4, 2, 4) if isinstance(granularity, PerGroup) else x


def qparams(lo, hi, mapping, ends, api):
    """Scale and zero point, in torch."""
    low, high = ends
    n, p = torch.clamp(lo, max=0.0), torch.clamp(hi, min=0.0)
    n, p = torch.where(lo.isnan(), lo, n), torch.where(hi.isnan(), hi, p)
    middle = float(int((high + low + 1) / 2))
    if mapping == "ASYMMETRIC":
        scale = (p - n) / float(high - low)
    elif mapping == "SYMMETRIC":
        scale = torch.maximum(-n, p) / (float(high - low) / 2)
    else:
        below, above = n / low, p / high
        scale = torch.where(below > above, below, above)
    scale = scale.clamp(min=2.0**-126 if api == "ao" else 2.0**-23)
    if mapping != "ASYMMETRIC":
        return scale, torch.full_like(scale, middle)
    zero = (low - torch.round(n / scale)).clamp(low, high)
    return scale, zero.to(torch.int32) if api == "ao" else zero


def fake_quantized(x, pair, ends, dims):
    scale, zero = (v.reshape([1 if i in dims else n for i, n in enumerate(x.shape)]) for v in pair)
    codes = torch.clamp(torch.round(x * (1.0 / scale)) + zero, *ends)
    return (codes - zero) * scale


def searched(x, ends_of, mapping, ends, dims, steps):
    lo, hi = ends_of
    reach, least = torch.maximum(lo.abs(), hi), torch.full_like(lo, 1e9)
    for i in range(1, steps + 1):
        t = reach / steps * i
        error = fake_quantized(x, qparams(-t, t, mapping, ends, "ao"), ends, dims) - x
        loss = (error * error).mean(dims)
        lo, hi = torch.where(loss < least, -t, lo), torch.where(loss < least, t, hi)
        least = torch.minimum(loss, least)
    return lo, hi


@pytest.mark.parametrize("seed", range(120))
def test_the_formulas_say_the_same(seed):
    rng = np.random.default_rng(seed)
    granularity, dims = SHARED[seed % len(SHARED)]
    mapping, name = MAPPINGS[rng.integers(3)], str(rng.choice([*CODES]))
    api, ends = ("ao", "pt2e")[seed % 2], CODES[name]
    observer = pytorch.AffineQuantizedMinMaxObserver(mapping, name, granularity, api=api)
    lo = hi = None
    for _ in range(2):
        x = batch(rng, (4, 8), odd=seed % 3 == 0)
        for given in in_both_kinds(x):
            observer(given)
        tensor = split(torch.from_numpy(x), granularity)
        new = tensor.amin(dims), tensor.amax(dims)
        lo, hi = new if lo is None else (torch.minimum(lo, new[0]), torch.maximum(hi, new[1]))
        assert same((observer.min_val, observer.max_val), (lo, hi))
        want = qparams(lo, hi, mapping, ends, api)
        if torch.isfinite(torch.stack([lo, hi])).all() or api == "pt2e":
            assert same(observer.calculate_qparams(), want)
        size = pytorch.get_block_size(x.shape, granularity)
        back = pytorch.fake_quantize_affine(x, size, *want, name)
        assert same(back, fake_quantized(tensor, want, ends, dims).reshape(4, 8))


@pytest.mark.parametrize("seed", range(36))
def test_the_search_says_the_same(seed):
    rng = np.random.default_rng(seed)
    granularity, dims = SHARED[seed % len(SHARED)]
    mapping, name = MAPPINGS[seed % 3], str(rng.choice([*CODES]))
    x = batch(rng, (4, 8))
    observer = pytorch.AffineQuantizedMSEObserver(mapping, name, granularity, steps=12)
    tensor = split(torch.from_numpy(x), granularity)
    ends_of = tensor.amin(dims), tensor.amax(dims)
    want = searched(tensor, ends_of, mapping, CODES[name], dims, 12)
    observer(torch.from_numpy(x))
    assert same((observer.min_val, observer.max_val), want)
