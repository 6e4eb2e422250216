"""Results on pages: reports, charts, pins and runs."""
