"""Rosetta: what does every framework make of one range?"""

from qviz.ui import frame, rosetta

rosetta.body(frame.page("Rosetta"))
