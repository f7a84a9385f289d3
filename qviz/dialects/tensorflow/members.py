"""Which modes TensorFlow has, and what each stands for; read off the registry."""

from __future__ import annotations

from qviz.dialects.tensorflow.dialect import DIALECT
from qviz.quantizers.base import QUANTIZERS
from qviz.registry import knobs_of

DOCUMENTED = "@doc"
OF_QUANTIZE = "quantize:mode="  # how the entries of the op's modes say what they were recorded as


def members(documented: bool = False) -> list[str]:
    """TensorFlow's modes: those of quantize, then the others; published formulas on request."""
    found = [n for n in QUANTIZERS if n.startswith(DIALECT.prefix)]
    found = [n for n in found if documented or not n.endswith(DOCUMENTED)]
    return sorted(found, key=lambda n: (op_mode(n) is None, n))


def op_mode(name: str) -> str | None:
    """The ``mode`` of quantize that a member or its published formula stands for, or None."""
    golden = QUANTIZERS.entry(name.removesuffix(DOCUMENTED)).golden
    return golden.removeprefix(OF_QUANTIZE) if golden.startswith(OF_QUANTIZE) else None


def partner(name: str) -> str | None:
    """The published formula of a measured mode, where there is one."""
    return name + DOCUMENTED if name + DOCUMENTED in QUANTIZERS else None


def roundings() -> tuple[str, ...]:
    """Every round_mode that a mode of quantize knows."""
    known = [knobs_of(QUANTIZERS[name]) for name in members() if op_mode(name)]
    options = [knobs["round_mode"][0].options or () for knobs in known if "round_mode" in knobs]
    return tuple(dict.fromkeys(option for group in options for option in group))
