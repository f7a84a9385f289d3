"""Whether an output misses channels that are lost."""

import numpy as np
import pytest

from qviz.doctor import Case
from qviz.doctor.missed import missed
from qviz.models.alone import Outcome
from qviz.spec import QuantSpec
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
X = np.random.default_rng(0).standard_normal((2, 8, 16))
X[:, 3] *= 1e-7
FAINT = np.arange(8) == 3


def case(read, batches=(X,)):
    whole = np.concatenate(batches)

    def run(flat):
        want, got = read(whole), read(flat.reshape(whole.shape))
        same = bool((want == got).all())
        return Outcome(None if same else sqnr(want, got), None, lossless=same)

    return Case.of(list(batches), INT8, axis=1, runs=run)


@pytest.mark.parametrize("batches", [(X,), (X, X + 0)])
@pytest.mark.parametrize(
    ("read", "answer"),
    [
        (lambda x: x.sum(1), False),
        (lambda x: x[:, 3], True),  # comes back whole
        (lambda x: x / (x.std(axis=(0, 2), keepdims=True) + 1e-30), True),
    ],
)
def test_what_reads_the_channel_by_itself_misses_it(read, answer, batches):
    assert missed(case(read, batches), FAINT, 1) is answer


def test_without_a_model_nothing_is_missed():
    assert not missed(Case.of(X, INT8), FAINT, 1)
