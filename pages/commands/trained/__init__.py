"""Commands that train metrics."""
