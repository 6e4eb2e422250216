"""Evaluation of metrics: studies, their reports, judgments of explanations, and training."""
