"""Where the boxes and arcs of a graph are drawn: sizes and arcs in, positions, layers and routes out."""
