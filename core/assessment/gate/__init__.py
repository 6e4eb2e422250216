"""The gate: whether new scores are worse than those before, so that a build can stop."""
