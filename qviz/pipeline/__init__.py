"""The only place where the parts meet: gather, settle, judge, compare."""

from qviz.pipeline.comparing import Comparison, Row, compare
from qviz.pipeline.judging import Settled, judge, refusal, settle
from qviz.stats.gather import gather

__all__ = ["Comparison", "Row", "Settled", "compare", "gather", "judge", "refusal", "settle"]
