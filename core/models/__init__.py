"""Loaded models: the only place that imports torch."""
