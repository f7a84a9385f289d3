import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.pipeline.output import output_sqnr, token_chunks


def test_by_hand():
    x, w = np.array([[3.0, 1.0]]), np.array([[1.0], [1.0]])
    y = np.array([[3.0, 0.6]])
    assert output_sqnr(x, y, w, w) == pytest.approx(10 * np.log10(16 / 0.16))
    assert output_sqnr(x, x, w, w) == np.inf
    assert np.isnan(output_sqnr(0 * x, y, w, w))


def test_errors_that_cancel_do_not_count():
    x, w = np.array([[2.0, 2.0]]), np.array([[1.0], [1.0]])
    assert output_sqnr(x, x + np.array([[0.5, -0.5]]), w, w) == np.inf


def test_pieces_add_up():
    r = np.random.default_rng(0)
    x, w = r.standard_normal((3000, 900)), r.standard_normal((900, 8))
    y, v = x + 0.01 * r.standard_normal(x.shape), w + 0.01 * r.standard_normal(w.shape)
    whole = 10 * np.log10(((x @ w) ** 2).sum() / ((y @ v - x @ w) ** 2).sum())
    assert output_sqnr(x, y, w, v) == pytest.approx(whole, rel=1e-12)
    assert len(list(token_chunks(3000, 900, 8))) > 1


def test_shapes_must_multiply():
    with pytest.raises(QvizError, match="do not multiply"):
        output_sqnr(np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3)))
