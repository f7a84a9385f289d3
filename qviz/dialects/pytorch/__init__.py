"""PyTorch: the observers of torch.ao.quantization and its fake-quantize functions."""
