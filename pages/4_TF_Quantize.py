"""What do TensorFlow's modes do with my range?"""

from qviz.ui import frame, tf_quantize

tf_quantize.body(frame.page("TF Quantize"))
