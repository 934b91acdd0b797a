"""Facts: what read ports return. Observations without an opinion, one module per channel."""
