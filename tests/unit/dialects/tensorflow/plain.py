"""TensorFlow's rules once more, one value at a time, with nothing of the product's.

Every step is one NumPy scalar operation followed by ``f``, which flushes denormals.
"""

import math

import numpy as np

F32 = np.float32
BITS = {"qint8": 8, "quint8": 8, "qint16": 16, "quint16": 16, "qint32": 32}
FLT_MAX = np.finfo(F32).max


def f(v):
    """A scalar with a denormal made the zero of its sign."""
    least = np.finfo(type(v)).tiny
    return type(v)(math.copysign(0.0, v)) if abs(v) < least else v


def low(a, b):
    return b if b < a else a


def high(a, b):
    return b if a < b else a


def clip(x, lo, hi):
    return high(low(x, hi), lo)


def away(v):
    if not np.isfinite(v):
        return v
    whole = math.floor(abs(float(v)))
    return type(v)(math.copysign(whole + (abs(float(v)) - whole >= 0.5), v))


def even(v):
    return type(v)(round(float(v))) if np.isfinite(v) and abs(v) < 2**52 else v


def ends_of(kind):
    bits = BITS[kind]
    return (0, 2**bits - 1) if kind.startswith("qu") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def stored(v, kind):
    """The integer conversion: through 64 bits, cut to the type's."""
    if not np.isfinite(v):
        return 0
    bits, code = BITS[kind], int(v) % 2 ** BITS[kind]
    return code - 2**bits if kind[1] != "u" and code >= 2 ** (bits - 1) else code


def adjusted(mn, mx, emr):
    mn, mx, emr = f(F32(mn)), f(F32(mx)), f(F32(emr))
    lo = low(F32(0), mn)
    eps = f(high(F32(1), high(abs(mn), abs(mx))) * emr)
    return lo, high(F32(0), high(mx, f(lo + eps)))


def divided(a, b):
    return f(F32(np.float64(a) / np.float64(b)))


def min_combined(x, lo, hi, kind):
    first, last = ends_of(kind)
    scale = divided(last - first, f(hi - lo))
    y = f(f(clip(f(x), lo, hi) - lo) * scale)
    if first:
        return stored(away(f(y - F32(-first))), kind)
    y = f(y + F32(0.5))
    return stored(F32(math.trunc(float(y))) if np.isfinite(y) else y, kind)


def min_first(x, lo, hi, kind):
    (first, last), bits = ends_of(kind), BITS[kind]
    scale = F32(0) if hi == lo else divided(2**bits - 1, f(hi - lo))
    shift = away(f(lo * scale)) - F32(first)
    y = away(f(f(x) * scale)) - shift
    if np.isnan(y):
        return -(2**31) if bits == 32 else 0
    return int(low(high(y, F32(first)), F32(2147483520 if bits == 32 else last)))


def scaled_range(lo, hi, kind, narrow):
    first, last = ends_of(kind)
    omin, omax = F32(first + narrow), F32(last)
    smin = f(omin / lo) if f(omin * lo) > 0 else FLT_MAX
    smax = f(omax / hi) if f(omax * hi) > 0 else FLT_MAX
    s = low(smin, smax)
    return f(omin / s), f(omax / s), s


def scaled(x, omin, omax, s, kind, tie):
    return stored((even if tie == "HALF_TO_EVEN" else away)(f(clip(f(x), omin, omax) * s)), kind)


def dequantized(code, mn, mx, kind, mode, narrow, whole):
    first, last = ends_of(kind)
    mn, mx, q, bits = f(F32(mn)), f(F32(mx)), F32(code), BITS[kind]
    if mode == "MIN_COMBINED":
        span = F32(last) - F32(first)
        half = (span + F32(1)) / F32(2) if first else F32(0)
        return f(f((q + half) * f(f(mx - mn) / span)) + mn)
    if mode == "MIN_FIRST":
        s = divided(f(mx - mn), F32(2**bits - 1))
        r = mn if mx == mn else f(away(f(mn / s)) * s)
        return f(f(r - f(F32(first) * s)) + f(q * s))
    if whole and bits == 32 and q == F32(2**31):
        q = F32(-(2**31))
    up = f(mx / F32(last))
    return f(q * (high(f(mn / F32(first + narrow)), up) if first else up))


def nudge(mn, mx, qmin, qmax):
    mn, mx, qmin, qmax = f(F32(mn)), f(F32(mx)), F32(qmin), F32(qmax)
    scale, inv = f(f(mx - mn) / (qmax - qmin)), f((qmax - qmin) / f(mx - mn))
    zp = f(qmin - f(mn / scale))
    z = qmin if zp < qmin else qmax if zp > qmax else F32(0) if np.isnan(zp) else away(zp)
    return scale, inv, f((qmin - z) * scale), f((qmax - z) * scale)


def fake_quant(x, mn, mx, qmin, qmax, op):
    if op != "args" and f(F32(mn)) == 0 and f(F32(mx)) == 0:
        return F32(0)
    scale, inv, nmin, nmax = nudge(mn, mx, qmin, qmax)
    q0 = np.floor(f(f(-nmin * inv) + F32(0.5)))
    c = f(clip(f(x), nmin, nmax) - nmin)
    t = f(c / scale) if op == "vars" else f(c * inv)
    return f(np.floor(f(f(t - q0) + F32(0.5))) * scale)


def fake_quant_gradient(g, x, mn, mx, qmin, qmax):
    """Gradient to x, and what the element adds to those of min and max."""
    if f(F32(mn)) == 0 and f(F32(mx)) == 0:
        return g, F32(0), F32(0)
    _, _, nmin, nmax = nudge(mn, mx, qmin, qmax)
    x = f(x)
    masks = (nmin <= x <= nmax, x < nmin, x > nmax)
    return tuple(f(g * F32(mask)) for mask in masks)


def round_trip(x, mn, mx, qmin, qmax, tie, given):
    kind = type(x)
    mn, mx, qmin, qmax = f(mn), f(mx), kind(qmin), kind(qmax)
    most = np.finfo(kind).max
    smin = f(qmin / mn) if f(qmin * mn) > 0 else most
    smax = f(qmax / mx) if f(qmax * mx) > 0 else most
    if smin < smax:
        s, inv = smin, f(mn / qmin)
        mx = f(qmax * inv)
    else:
        s, inv = smax, f(mx / qmax)
        mn = f(qmin * inv)
    y = f((clip(f(x), mn, mx) if given else f(x)) * s)
    return f((np.floor(f(y + kind(0.5))) if tie == "HALF_UP" else np.rint(y)) * inv)


def joint_range(ranges, kind):
    lo, hi = FLT_MAX, -FLT_MAX
    for mn, mx in ranges:
        lo, hi = low(lo, f(F32(mn))), high(hi, f(F32(mx)))
    lo = low(F32(0), lo)
    if kind == "qint32":
        hi = high(abs(lo), abs(hi))
        lo = -hi
    return lo, hi


def moved(code, mn, mx, lo, hi, kind):
    if f(F32(mn)) == lo and f(F32(mx)) == hi:
        return code
    return min_first(dequantized(code, mn, mx, kind, "MIN_FIRST", False, True), lo, hi, kind)
