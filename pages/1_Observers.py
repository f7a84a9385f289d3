"""Which range should I keep?"""

from qviz.ui import frame, observers

observers.body(frame.page("Observers"))
