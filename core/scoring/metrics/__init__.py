"""Metrics, one file per family."""
