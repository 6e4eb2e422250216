"""What people said of summaries, and what they said it about: kept for ever, in SQLite or PostgreSQL."""
