"""ONNX Runtime with its optimizations off, and its errors as sentences.

Imports onnxruntime: only processes that run models import this module.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime

from qviz.errors import QvizError
from qviz.models.limits import Limits, out_of_memory

_OWN = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
ERRORS = tuple(e for e in vars(_OWN).values() if isinstance(e, type) and issubclass(e, Exception))
_NO_MEMORY = re.compile(
    r"bad_alloc|bad alloc|allocate memory|BFCArena|out of memory", re.IGNORECASE
)
_PLACE = re.compile(r"\S*/\S*(:\d+)?|\b0x[0-9a-f]+\b|: \d+ : [A-Z_]+ :|\S*(Error|Exception)\S*")
_SIGNATURE = (
    r"(?:[\w:~<>*&,]+ +){0,6}?[\w:~<>]+\((?:[^()]|\([^()]*\))*\)(?: *const)?(?: *\[with [^]]*\])?"
)
_FUNCTION = re.compile(  # a place in its source with the function there, or its bare name
    rf"\S{{1,300}}\.(?:cc|cpp|cu|h|hpp):\d+ +(?:{_SIGNATURE}|[\w:~]+)"
)
_STATUS = re.compile(r"\[ONNXRuntimeError\] : \d+ : [A-Z_]+ :|Status Message:")
_READ = 4000  # characters of its words that are looked at
_LONGEST = 420  # characters of them that are shown
SILENT = 4  # log nothing but what is fatal
SEED = 0  # of nodes that draw at random and have no seed of their own


onnxruntime.set_default_logger_severity(SILENT)  # also of what is logged outside of a session


class Session:
    """A model that can be run. One thread, no optimization: the same bits at each run.

    Raises
    ------
    QvizError
        The runtime does not take the model, or it takes more memory than it may have.
    """

    def __init__(self, model: bytes, limits: Limits) -> None:
        self._limits = limits
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = SILENT
        options.enable_mem_pattern = False
        options.enable_cpu_mem_arena = False  # what a batch took goes back
        onnxruntime.set_seed(SEED)  # taken when a session is made
        try:
            providers = ["CPUExecutionProvider"]
            self._session = onnxruntime.InferenceSession(model, options, providers=providers)
        except (*ERRORS, MemoryError, ValueError, RuntimeError) as error:
            raise self._refusal("The runtime does not take the model.", error) from error

    @property
    def types(self) -> dict[str, str]:
        """Type of each output: ``tensor(float)``, ``seq(tensor(float))`` ..."""
        return {value.name: value.type for value in self._session.get_outputs()}

    def run(self, names: Sequence[str], feeds: Mapping[str, np.ndarray]) -> list[Any]:
        """The outputs called ``names``."""
        options = onnxruntime.RunOptions()
        options.log_severity_level = SILENT
        try:
            return list(self._session.run(list(names), dict(feeds), options))
        except (*ERRORS, MemoryError, ValueError, RuntimeError) as error:
            raise self._refusal("The model fails on its input.", error) from error

    def _refusal(self, what: str, error: BaseException) -> QvizError:
        if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
            return out_of_memory(self._limits.memory)
        return QvizError(what, words_of(error), "Check the model and its inputs.")


def words_of(error: BaseException) -> str:
    """The runtime's own words on one line: the reason, without places in its source.

    A status that is handed on has the reason at its end.
    """
    parts = [_plain(part) for part in _STATUS.split(str(error)[:_READ])]
    text = next((part for part in reversed(parts) if part), type(error).__name__)
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} ..."
    return f"It says: {short}."


def _plain(text: str) -> str:
    return " ".join(_PLACE.sub("", _FUNCTION.sub("", text)).split()).strip(" :").rstrip(".")
