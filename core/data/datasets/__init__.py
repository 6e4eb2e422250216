"""Dataset importers, one file each."""
