"""Metrics that are trained from pairs: what a word of a summary shows of itself, the head that reads it, training and its guards."""
