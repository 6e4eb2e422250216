"""What can go wrong between a person's label and the disk.

TouchstoneError
└── StoreError          a database that cannot be opened or read
    ├── NotSavedError   a write that did not happen
    ├── ReadOnlyError   a write to a store that keeps nothing
    ├── RightsError     something that this person may not do
    └── RecordError     a record that cannot be kept as it is
"""

from __future__ import annotations

from core.errors import TouchstoneError


class StoreError(TouchstoneError):
    """A database that cannot be opened or read."""


class NotSavedError(StoreError):
    """A write that did not happen: no part of it is in the database."""


class ReadOnlyError(StoreError):
    """A write to a store that keeps nothing."""


class RecordError(StoreError):
    """A record that cannot be kept as it is."""


class RightsError(StoreError):
    """Something that this person may not do."""
