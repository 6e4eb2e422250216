"""The formats in which campaigns are exported, one file each."""
