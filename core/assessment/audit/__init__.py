"""The audit: one report that says whether a metric can be trusted on some data, a verdict for each question."""
