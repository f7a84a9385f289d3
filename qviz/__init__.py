"""qviz: see, number by number, what quantization does to tensors."""
