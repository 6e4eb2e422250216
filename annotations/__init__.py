"""Labels of summaries and the texts that were labelled: append-only tables in SQLite or PostgreSQL.

`labelling` writes what an annotator answers, `results` reads it, `management` is for those who lead a campaign. `store` has the
tables, `exchange` what goes in and out as files.
"""
