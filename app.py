"""What is this, and what tensor am I looking at?"""

from qviz.ui import frame, home

home.body(frame.page("Home", home.FIRST))
