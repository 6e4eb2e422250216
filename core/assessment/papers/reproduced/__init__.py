"""One paper a file, found by being there; the figures that it prints are in the TOML file of the same name."""
