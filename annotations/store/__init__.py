"""The database: tables, migrations, reads and writes."""
