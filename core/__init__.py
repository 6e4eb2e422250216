"""The bench without pages and database, in ten wings: each imports only those below it.

From the ground up: `base`, `text`, `stats`, `data`, `models`, `scoring`, `edits`, `results`, `evaluation`, `assessment`.
"""
