"""Edits of summaries: perturbations, batteries of them, and edits that a language model proposes."""
