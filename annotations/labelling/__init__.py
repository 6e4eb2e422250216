"""Labelling: the next task of a person, their responses and limits."""
