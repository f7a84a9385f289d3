"""LSQ's gradient, starts and factors by their formulas."""

import numpy as np
import pytest

from qviz.pipeline.fitting import codes
from qviz.quantizers.stateful import LEARNERS, Spread

SPEC = codes(4, signed=True)
SPREAD = Spread(count=10_000, mean=0.5, mean_abs=0.8, std=1.5, largest=9.0)


def test_the_gradient_of_the_step():
    grid = LEARNERS.make("lsq").quantizer(0.5, SPEC)
    x = np.array([[0.6, -0.6, 9.0, -9.0]], np.float32)
    found = grid.backward(x, np.array([[1.0, 1.0, 1.0, 2.0]], np.float32))
    # 1.2 steps round to 1; beyond the ends the step's gradient is the end's code
    assert found.parameters["scale"][0] == pytest.approx([-0.2, 0.2, 7.0, -14.0], abs=1e-6)
    assert found.input.tolist() == [[1.0, 1.0, 0.0, 0.0]]


def test_starts():
    assert LEARNERS.make("lsq").start(SPREAD, SPEC) == pytest.approx(2 * 0.8 / 7**0.5)
    assert LEARNERS.make("lsq_plus").start(SPREAD, SPEC) == pytest.approx((0.5 + 3 * 1.5) / 8)


@pytest.mark.parametrize("name", ["lsq", "lsq_plus"])
def test_factors(name):
    tamed, published, none = (
        LEARNERS.make(f"{name}:by={by}").factor(10_000, SPEC) for by in ("qmax", "n*qmax", "none")
    )
    assert tamed == (pytest.approx(7**-0.5), "gradient ÷ √7")
    assert published == (pytest.approx(70_000**-0.5), "gradient ÷ √(10,000 × 7)")
    assert none == (1.0, "")


def test_the_published_factor_is_an_entry_of_its_own():
    assert LEARNERS.make("lsq_published") == LEARNERS.make("lsq:by=n*qmax")
