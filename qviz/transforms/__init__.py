"""Changes of a tensor that leave the layer's result as it is, and what they are worth."""

from qviz.transforms.base import TRANSFORMS, Change, Operand, Transform
from qviz.transforms.trials import Trial, Unchanged, trial

__all__ = ["TRANSFORMS", "Change", "Operand", "Transform", "Trial", "Unchanged", "trial"]
