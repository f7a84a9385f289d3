"""One range, every rule set: what each makes of it, and where two of them part."""

from qviz.rosetta.answers import Answer, answer
from qviz.rosetta.elements import Element, element
from qviz.rosetta.ruleset import Rule, rules

__all__ = ["Answer", "Element", "Rule", "answer", "element", "rules"]
