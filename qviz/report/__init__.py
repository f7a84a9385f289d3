"""What qviz can write about itself and about tensors."""
