"""Labels of summaries and the texts that were labelled: append-only tables in SQLite or PostgreSQL."""
