"""PyTorch: scale and zero point beside a storage type."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.registry import Source
from qviz.rosetta.conventions.base import CONVENTIONS, INT8, Convention, Expressed, Grid, too_many

SOURCE = Source(
    "PyTorch", "torch.quantize_per_tensor, torch.fake_quantize_per_tensor_affine", "2.13.0"
)


def _written(grid: Grid, dtype: str, low: int) -> Expressed:
    refused = too_many(grid)
    if refused:
        return Expressed(refused=refused)
    zero = grid.zero + low
    text = (
        f"torch.quantize_per_tensor(x, scale={grid.digits}, zero_point={zero}, dtype=torch.{dtype})"
    )
    if grid.levels == 256:
        return Expressed(text, f"zero point {zero}")
    top = low + grid.levels - 1
    text = (
        f"torch.fake_quantize_per_tensor_affine(x, scale={grid.digits}, zero_point={zero}, "
        f"quant_min={low}, quant_max={top})"
    )
    lost = f"{dtype} has 256 codes: only fake quantization keeps to {low} to {top}"
    return Expressed(text, f"zero point {zero}", lost=lost)


@CONVENTIONS.register("torch_quint8", title="torch quint8", source=SOURCE)
@dataclass(frozen=True)
class TorchQuint8(Convention):
    """Codes from 0 up."""

    def express(self, grid: Grid) -> Expressed:
        return _written(grid, "quint8", 0)


@CONVENTIONS.register("torch_qint8", title="torch qint8", source=SOURCE)
@dataclass(frozen=True)
class TorchQint8(Convention):
    """The same codes less 128; with fewer than 256 the lowest ones are left out."""

    def express(self, grid: Grid) -> Expressed:
        return _written(grid, "qint8", INT8 - grid.levels if grid.levels < 256 else -INT8)
