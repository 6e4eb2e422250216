"""Explanations of inconsistencies: found by language models, judged by language models and people, checked by rules."""
