"""The app's first page: which range should I keep?"""

from qviz.ui import frame, observers

observers.body(frame.page("Observers"))
