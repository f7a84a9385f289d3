"""Why quantizing goes wrong here, and what repairs it, with numbers."""

from qviz.doctor.base import LEVELS, RULES, Examined, Finding, Fix
from qviz.doctor.case import Case
from qviz.doctor.examining import examine, examined, ranked
from qviz.doctor.given import Bias, Given
from qviz.doctor.settings import Setting

__all__ = [
    "LEVELS",
    "RULES",
    "Bias",
    "Case",
    "Examined",
    "Finding",
    "Fix",
    "Given",
    "Setting",
    "examine",
    "examined",
    "ranked",
]
