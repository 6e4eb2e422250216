"""Files of records, whatever their format, as a stream of rows that know where they stand."""
