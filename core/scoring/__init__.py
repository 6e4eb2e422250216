"""Scores: the contract of a metric, the metrics, and the engine that asks their questions."""
