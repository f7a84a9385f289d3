"""Sources: files and generators that give named tensors."""
