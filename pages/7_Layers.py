"""Layers: which layer of a model is the problem?"""

from qviz.ui import frame, layers

layers.body(frame.page("Layers", folded=True))
