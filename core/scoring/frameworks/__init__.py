"""Scorers of other frameworks: each module is imported in the process of its framework alone; see `core.scoring.plugins.environments`."""
