"""Many pairs on many machines: blocks of pairs grouped by document, and a file of results for each block and metric."""
