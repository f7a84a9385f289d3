"""Versions of everything whose numbers may end up in a result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import qviz

PACKAGES = (
    *("numpy", "torch", "streamlit", "plotly", "pandas"),
    *("safetensors", "onnx", "onnxruntime"),
)


def versions() -> str:
    """One line each: qviz, Python, and packages, without importing any of these."""
    found = {"qviz": qviz.__version__, "python": platform.python_version()}
    found |= {name: _version(name) for name in PACKAGES}
    return "\n".join(f"{name:<12} {number}" for name, number in found.items())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
