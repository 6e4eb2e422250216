"""One file per kind of forward pass."""
