"""Captured models: tensors with the statistics that were gathered while a model ran."""
