"""Spend at endpoints: estimated, counted and limited."""
