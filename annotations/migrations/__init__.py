"""The steps from an empty database to today's tables, one file of `versions/` each; run by `annotations.migrate`."""
