"""Faults that pydantic finds in the fields of a table, in words."""

from __future__ import annotations

from pydantic import ValidationError


def wrong_fields(error: ValidationError) -> str:
    """Each field with what is wrong with it; what is wrong with several together stands alone."""
    # the prefix stands before messages of our own validators
    found = ((".".join(map(str, one["loc"])), one["msg"].removeprefix("Value error, ")) for one in error.errors())
    return "; ".join(": ".join(filter(None, one)) for one in found)
