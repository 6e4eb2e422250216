"""Edits that a language model proposes: asked for, checked, executed."""
