"""Replay of recorded vectors of the real libraries through the public functions."""

from qviz.golden.replay import Failure, Report, replay

__all__ = ["Failure", "Report", "replay"]
