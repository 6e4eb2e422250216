"""The database: tables, migrations, reads and writes."""

# backup, restore and counts go through every table of the metadata, whichever module of this folder is imported first
from annotations.store import campaign_tables as campaign_tables
from annotations.store import people_tables as people_tables
from annotations.store import report_tables as report_tables
from annotations.store import response_tables as response_tables
