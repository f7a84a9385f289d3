"""Models that run: their activations, what quantizing each costs, the layer that hurts."""
