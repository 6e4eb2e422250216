"""Metrics that are a checkpoint and a declaration of how it is asked."""
