"""Benchmarks and files of people as items: the contract of an importer, and one importer per file."""
