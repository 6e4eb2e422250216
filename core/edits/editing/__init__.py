"""Edits of a summary by its claims, and those that a language model proposes: asked for, checked, executed."""
