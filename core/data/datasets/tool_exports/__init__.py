"""Exports of other tools, a module each."""
