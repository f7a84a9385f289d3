"""Grid: what does quantizing do to a value?"""

from qviz.ui import frame, grid

grid.body(frame.page("Grid"))
