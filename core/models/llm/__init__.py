"""Language models behind an endpoint: the only place that imports openai."""
