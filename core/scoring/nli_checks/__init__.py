"""Ways to check that a rewritten summary does not contradict the original, one file each."""
