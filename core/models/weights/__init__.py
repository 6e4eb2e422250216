"""Weights on disk: where they lie, their integrity, downloads and conversion."""
