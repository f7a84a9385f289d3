"""Which channels suffer?"""

from qviz.ui import channels, frame

channels.body(frame.page("Channels", channels.FIRST))
