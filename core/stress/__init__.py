"""Stress tests: perturbations on summaries, metrics on both, and what the shifts say."""
