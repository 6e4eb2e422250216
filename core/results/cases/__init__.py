"""Evaluated cases: scored samples of one dataset or several."""
