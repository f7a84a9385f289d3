"""What do the words mean?"""

from qviz.ui import frame, learn

learn.body(frame.page("Learn", folded=True))
