"""Studies, one file each."""
