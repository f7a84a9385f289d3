"""Dialects: the rules of one framework each, named with version and configuration."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.registry import Source


@dataclass(frozen=True)
class Dialect:
    """One framework as it was measured.

    ``prefix`` starts the name of each of its members; ``documents`` are what their sources are
    taken from; ``rounding`` says where ties go, ``compute_dtype`` in which float type its codes
    are computed, ``configuration`` which build of the framework the numbers are those of.
    """

    key: str
    prefix: str
    title: str
    documents: tuple[Source, ...]
    rounding: str
    compute_dtype: str
    configuration: str
