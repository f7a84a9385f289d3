"""ONNX models: the tensors stored in a graph, found without decoding the graph."""
