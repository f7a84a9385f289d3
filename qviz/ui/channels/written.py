"""Numbers in tables, written as everywhere else on the page."""

from __future__ import annotations

import pandas as pd
from pandas.api.types import is_float_dtype, is_integer_dtype
from pandas.io.formats.style import Styler

from qviz.figures.numbers import NOTHING, fixed, integer, number

DECIBELS = " dB"  # how the name of such a column ends


def written(frame: pd.DataFrame) -> Styler:
    """The frame with its numbers in words, and a dash where there is none; it sorts by value."""
    formats = {}
    for name, column in frame.items():
        if str(name).endswith(DECIBELS):
            formats[name] = fixed
        elif is_integer_dtype(column.dtype):
            formats[name] = integer
        elif is_float_dtype(column.dtype):
            formats[name] = integer if _whole(column) else number
    style = frame.style
    style.format(formats, na_rep=NOTHING)
    return style


def _whole(column: pd.Series) -> bool:
    """Counts of which some are missing."""
    return bool((column.dropna() % 1 == 0).all()) and column.isna().any()
