"""Metrics in the form of other packages, each of which only its own file imports."""
