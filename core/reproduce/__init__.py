"""The experiments of papers again: the figures that a paper prints, ours for the same cells, and what they wait for."""
