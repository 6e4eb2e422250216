"""The questions of the audit, one file each, found by being there."""
