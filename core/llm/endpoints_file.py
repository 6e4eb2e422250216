"""The file of TOUCHSTONE_ENDPOINTS: further endpoints, one table of TOML each, and what is wrong with it, by field."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadSettingError

_FORBIDDEN = ("key", "api_key", "token")
"""How a key would be written into the file, where it must not stand."""


class Entry(BaseModel):
    """One table of the file, `[name]`; prices are for a million tokens, `key_from` names the variable with the key."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(pattern=r"^[\w.-]+$")
    base_url: str
    key_from: str = Field("", pattern=r"^\w*$")
    model: str = ""
    at_once: int = Field(8, ge=1, le=256)
    patience_s: float = Field(60.0, gt=0)
    retries: int = Field(2, ge=0, le=20)
    stream: bool = False
    thoughts: int = Field(0, ge=0)
    price_read: float | None = Field(None, ge=0)
    price_written: float | None = Field(None, ge=0)
    budget: float | None = Field(None, ge=0)


def read_endpoints(file: str) -> list[Entry]:
    """The endpoints of a file in its order; none for no file. Raises BadSettingError with file, table and field."""
    if not file.strip():
        return []
    try:
        tables = tomllib.loads(Path(file.strip()).expanduser().read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSettingError(
            f"TOUCHSTONE_ENDPOINTS names {file}, which cannot be read: {error.strerror}. Make it, or unset the variable."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettingError(f"{file} is no TOML: {error}. Write a table [name] for each endpoint.") from error
    return [_entry(file, name, table) for name, table in tables.items()]


def _entry(file: str, name: str, table: object) -> Entry:
    if not isinstance(table, dict):
        # what stands there may be a key: it is not repeated
        raise BadSettingError(f"{file}: {name} stands outside of a table. Write [name] above it.")
    for field in _FORBIDDEN:
        if field in table:
            raise BadSettingError(
                f"{file}, [{name}]: {field} is not read, as keys do not belong into this file. Put the key into a variable of "
                "the environment or of .env and write key_from with the name of that variable."
            )
    try:
        return Entry(**{**table, "name": name})
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        known = ", ".join(field for field in Entry.model_fields if field != "name")
        raise BadSettingError(f"{file}, [{name}]: {wrong}. Known fields: {known}.") from None
