"""torchao's affine observers by their own names; ``api`` chooses which of its two families."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.errors import TorchAssertionError, TorchNotImplementedError
from qviz.dialects.pytorch.names import alike, name_of
from qviz.dialects.pytorch.running import Ends, RunningAverage, RunningMinMax, ends_of
from qviz.dialects.pytorch.torchao_blocks import Blocks, get_block_size
from qviz.dialects.pytorch.torchao_qparams import Pair, converted
from qviz.dialects.pytorch.torchao_quantizer import choose_qparams_affine_with_min_max
from qviz.dialects.pytorch.torchao_search import LineSearch
from qviz.dialects.pytorch.with_args import Configurable
from qviz.spec import Granularity
from qviz.stats.base import Batch
from qviz.xp import Array

ROWS = Granularity("per_channel", 0)


class AffineQuantizedObserverBase(Configurable):
    """Arguments of all torchao observers; the codes are checked when qparams are asked for."""

    def __init__(  # noqa: PLR0913  torchao's own arguments
        self,
        mapping_type: Any,
        target_dtype: Any,
        granularity: Any,
        quant_min: float | None = None,
        quant_max: float | None = None,
        eps: float | None = None,
        scale_dtype: Any = None,
        zero_point_dtype: Any = None,
        preserve_zero: bool = True,
        zero_point_domain: Any = "INT",
        *,
        api: str = "ao",
    ) -> None:
        if granularity is None:
            raise TorchAssertionError("granularity is None.", "", "Give PerTensor(), say.")
        self.mapping_type, self.target_dtype = name_of(mapping_type), name_of(target_dtype).lower()
        self.granularity, self.quant_min, self.quant_max = granularity, quant_min, quant_max
        self.eps, self.scale_dtype, self.zero_point_dtype = eps, scale_dtype, zero_point_dtype
        self.preserve_zero, self.zero_point_domain = preserve_zero, name_of(zero_point_domain)
        self.api = api
        self.state: Ends | None = None
        self._seen: Array = np.empty(0)

    def forward(self, input: Any) -> Any:
        """Record the batch, and return it; an empty one changes nothing."""
        x = xp.enter(input)
        self._seen = np.empty(0) if xp.namespace(input) is np else input.new_empty(0)
        if xp.size(x):
            shape = tuple(x.shape)
            blocks = Blocks.of(shape, get_block_size(shape, self.granularity))
            self.state = self._followed(x, blocks)
        return input

    def __call__(self, input: Any) -> Any:
        return self.forward(input)

    @property
    def min_val(self) -> Array:
        """Smallest element of each block."""
        return alike(self._state.lo, self._seen)

    @property
    def max_val(self) -> Array:
        """Largest element of each block."""
        return alike(self._state.hi, self._seen)

    def calculate_qparams(self) -> Pair:
        """(scale, zero_point), shaped as ``min_val``."""
        return self._qparams(self.min_val, self.max_val)

    def _followed(self, x: Array, blocks: Blocks) -> Ends | None:
        return self.state

    @property
    def _state(self) -> Ends:
        if self.state is None:
            raise TorchAssertionError("No data was seen yet.", "", "Observe a batch first.")
        return self.state

    def _qparams(self, lo: Array, hi: Array) -> Pair:
        return choose_qparams_affine_with_min_max(
            lo,
            hi,
            self.mapping_type,
            [],
            self.target_dtype,
            self.quant_min,
            self.quant_max,
            self.eps,
            self.scale_dtype,
            self.zero_point_dtype,
            self.preserve_zero,
            self.zero_point_domain,
            api=self.api,
        )


def block_ends(x: Array, blocks: Blocks) -> Ends:
    """Extremes of each block, float32, in the shape of the ranges."""
    found = ends_of(Batch(blocks.rows(x), ROWS))
    return Ends(found.lo.reshape(blocks.shape), found.hi.reshape(blocks.shape))


class AffineQuantizedMinMaxObserver(AffineQuantizedObserverBase):
    """Smallest and largest element of each block. torchao: the same name."""

    rule: RunningMinMax = RunningMinMax()

    def _followed(self, x: Array, blocks: Blocks) -> Ends:
        new = block_ends(x, blocks)
        if self.state is None:
            return new
        if self.state.lo.shape != new.lo.shape:
            raise TorchAssertionError(
                f"Ranges of shape {new.lo.shape}, those before {self.state.lo.shape}.",
                "A block lives on from batch to batch.",
                "Observe batches of one shape.",
            )
        return self.rule.after(self.state, new)


class AffineQuantizedMovingAverageMinMaxObserver(AffineQuantizedMinMaxObserver):
    """Averaged extremes of each block. torchao: the same name, pt2e family."""

    def __init__(  # noqa: PLR0913  torchao's own arguments
        self,
        mapping_type: Any,
        target_dtype: Any,
        granularity: Any,
        averaging_constant: float = 0.01,
        quant_min: float | None = None,
        quant_max: float | None = None,
        eps: float | None = None,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if is_dynamic and averaging_constant != 1:
            raise TorchNotImplementedError("A moving average over batches is not dynamic.")
        kwargs.setdefault("api", "pt2e")
        super().__init__(
            mapping_type, target_dtype, granularity, quant_min, quant_max, eps, **kwargs
        )
        self.averaging_constant = averaging_constant
        self.rule = RunningAverage(averaging_constant)


class AffineQuantizedMSEObserver(AffineQuantizedObserverBase):
    """The symmetric range with the least squared error, of the latest batch. torchao: the same.

    ``steps`` widths are tried, the largest magnitude over ``steps`` apart; with ``run_once`` the
    first batch decides.
    """

    def __init__(self, *args: Any, steps: int = 100, run_once: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.steps, self.run_once = steps, run_once

    def _followed(self, x: Array, blocks: Blocks) -> Ends | None:
        if self.run_once and self.state is not None:
            return self.state
        codes = (self.target_dtype, self.quant_min, self.quant_max, self.zero_point_domain)
        size = get_block_size(tuple(x.shape), self.granularity)
        search = LineSearch(x, self._seen, size, codes, self._qparams)
        return search.chosen(block_ends(x, blocks), self.steps)


class AffineQuantizedFixedQParamObserver(AffineQuantizedObserverBase):
    """Scale and zero point given by hand. torchao: the same name."""

    def __init__(
        self, *args: Any, scale: Any = None, zero_point: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.set_qparams(np.ones(1, np.float32) if scale is None else scale, zero_point)

    def set_qparams(self, scale: Any, zero_point: Any = None) -> None:
        """Take these from now on; zero point 0 unless given."""
        zeros = xp.host(xp.enter(scale)) * 0 if zero_point is None else zero_point
        kinds = (self.scale_dtype, self.zero_point_dtype)
        values = (xp.host(xp.enter(v)) for v in (scale, zeros))
        self.scale, self.zero_point = (
            alike(v if kind is None else converted(v, kind), scale)
            for v, kind in zip(values, kinds, strict=True)
        )

    def calculate_qparams(self) -> Pair:
        return self.scale, self.zero_point
