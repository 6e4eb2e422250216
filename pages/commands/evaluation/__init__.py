"""Commands that evaluate metrics."""
