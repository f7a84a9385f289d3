"""Where the channels of values lie: in a graph, told by its operations; in torch by modules."""
