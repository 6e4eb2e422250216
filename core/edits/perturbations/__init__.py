"""Perturbations, one file each."""
