"""Stress runs: plan, runner, filters, shifts, noise bands."""
