"""The error that reaches a layer's output: that of the product with its other operand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from qviz.errors import QvizError
from qviz.metrics.base import decibels

PIECE = 2**20  # numbers of a product computed at a time


def output_sqnr(x: np.ndarray, y: np.ndarray, w: np.ndarray, v: np.ndarray) -> float:
    """10 log10(sum (x w)^2 / sum (y v - x w)^2), in dB.

    ``x`` (tokens, inputs) and ``w`` (inputs, outputs) are what goes in, ``y`` and ``v`` what
    comes back of them. Float64, some tokens at a time. +inf where nothing is lost, NaN where the
    product has no energy.

    Raises
    ------
    QvizError
        Shapes that do not multiply.
    """
    if x.ndim != 2 or w.ndim != 2 or x.shape[1] != w.shape[0]:
        raise QvizError(
            f"Shapes {x.shape} and {w.shape} do not multiply.",
            "Tokens x inputs and inputs x outputs are needed.",
            "Choose another operand.",
        )
    return of_chunks(((x[at], y[at]) for at in token_chunks(len(x), *w.shape)), w, v)


def of_chunks(
    chunks: Iterable[tuple[np.ndarray, np.ndarray]], w: np.ndarray, v: np.ndarray
) -> float:
    """The same from pieces of ``x`` and ``y``, some tokens each."""
    signal, noise = np.zeros(1), np.zeros(1)
    w, v = (operand.astype(np.float64, copy=False) for operand in (w, v))
    for x, y in chunks:
        exact = x.astype(np.float64, copy=False) @ w
        off = y.astype(np.float64, copy=False) @ v - exact
        signal += np.einsum("ij,ij->", exact, exact)
        noise += np.einsum("ij,ij->", off, off)
    return float(decibels(signal, noise)[0])


def token_chunks(tokens: int, inputs: int, outputs: int) -> Iterator[slice]:
    """Slices of tokens whose inputs and outputs fit into 2^20 numbers."""
    tall = max(1, PIECE // max(inputs, outputs, 1))
    return (slice(start, start + tall) for start in range(0, tokens, tall))
