"""Doctor: what is wrong here, and what repairs it?"""

from qviz.ui import doctor, frame

doctor.body(frame.page("Doctor", doctor.FIRST))
