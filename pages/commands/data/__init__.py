"""Commands that read and write data."""
