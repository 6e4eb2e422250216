"""Rates of inconsistent summaries in a pool from labels of a few of them."""
