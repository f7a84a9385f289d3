"""The only place where the parts meet: gather, settle, judge, compare."""

from qviz.pipeline.channels import with_channels
from qviz.pipeline.comparing import compare
from qviz.pipeline.judging import Settled, judge, refusal, settle
from qviz.pipeline.rows import Comparison, Row
from qviz.stats.gather import gather

__all__ = [
    "Comparison",
    "Row",
    "Settled",
    "compare",
    "gather",
    "judge",
    "refusal",
    "settle",
    "with_channels",
]
