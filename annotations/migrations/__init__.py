"""The steps from an empty database to today's tables, one file of `versions/` each; run by `annotations.store.migrate`.

A released version is never edited. A change of the tables is a new file with the next number, written as 0001 is and
with literal names; a test fails while tables and versions differ. On a protected table it calls `protect` again.
"""
