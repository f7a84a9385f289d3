"""Scale and zero point, by hand."""

import numpy as np

from qviz.dialects.pytorch.qparams import EPS, affine, symmetric

BYTE, SIGNED = (0, 255), (-128, 127)
NAN, INF = np.nan, np.inf


def one(found):
    return found[0].tolist()[0], found[1].tolist()[0]


def ends(lo, hi):
    return np.array([lo]), np.array([hi])


def test_affine():
    assert one(affine(*ends(-1, 254), BYTE)) == (1, 1)
    assert one(affine(*ends(-0.5, 254.5), BYTE)) == (1, 0)  # rint(-0.5) is 0, the even one
    assert one(affine(*ends(-1.5, 253.5), SIGNED)) == (1, -126)
    assert one(affine(*ends(51, 255), BYTE)) == (1, 0)  # widened to hold 0
    assert one(affine(*ends(-255, -51), BYTE)) == (1, 255)


def test_a_constant_is_not_scale_one():
    assert one(affine(*ends(255, 255), BYTE)) == (1, 0)
    assert one(affine(*ends(0, 0), BYTE)) == (EPS, 0)


def test_odd_ranges_end_as_on_x86():
    assert np.isnan(one(affine(*ends(NAN, NAN), BYTE))[0])
    assert one(affine(*ends(NAN, NAN), BYTE))[1] == 0
    assert one(affine(*ends(NAN, NAN), SIGNED))[1] == 127
    assert one(affine(*ends(-INF, 1), BYTE)) == (INF, 0)


def test_symmetric():
    assert one(symmetric(*ends(-255, 10), BYTE, 128)) == (2, 128)
    assert one(symmetric(*ends(1, 255), SIGNED, 0)) == (2, 0)
    assert one(symmetric(*ends(0, 0), SIGNED, 0)) == (EPS, 0)
    assert one(symmetric(*ends(0, 1), SIGNED, 0, 0.5)) == (0.5, 0)


def test_types():
    scale, zero = affine(np.zeros(3), np.ones(3), BYTE)
    assert (scale.dtype, zero.dtype, scale.shape) == (np.float32, np.int64, (3,))
