"""Imports and exports: formats, cards, rows."""
