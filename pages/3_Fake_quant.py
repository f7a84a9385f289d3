"""How do the fake-quant modes differ, forward and backward?"""

from qviz.ui import fake_quant, frame

fake_quant.body(frame.page("Fake quant"))
