"""A file of services that score: one table each, in TOML, `[name]` with the `url` that is asked."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadSettingError
from core.llm.endpoints_file import EndpointEntry

SERVICE_PREFIX = "service."
"""Begins the name of the endpoint of a service, so that it is that of no language model."""


class ServiceEntry(BaseModel):
    """One table: where the service is, with its limits and key as of an endpoint, and how its score is to be read."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    url: str
    title: str = ""
    low: float | None = 0.0
    high: float | None = 1.0
    direction: Literal["higher", "lower", "neutral"] = "higher"
    measures: str = ""
    paper: str = ""
    licence: str = ""
    languages: str = "any"
    metric: str = ""
    key_from: str = Field("", pattern=r"^\w*$")
    key_header: str = Field("", pattern=r"^[\w-]*$")
    headers: dict[str, str] = Field(default_factory=dict)
    at_once: int = Field(8, ge=1, le=256)
    patience_s: float = Field(60.0, gt=0)
    retries: int = Field(2, ge=0, le=20)

    @property
    def endpoint(self) -> EndpointEntry:
        """The endpoint by which it is asked; its answers cost nothing."""
        return EndpointEntry(
            name=f"{SERVICE_PREFIX}{self.name}",
            base_url=self.url,
            key_from=self.key_from,
            key_header=self.key_header,
            headers=self.headers,
            at_once=self.at_once,
            patience_s=self.patience_s,
            retries=self.retries,
            price_read=0.0,
            price_written=0.0,
        )


def read_services_file(file: str) -> tuple[ServiceEntry, ...]:
    """The services of a file in its order. Raises BadSettingError with file, table and field."""
    try:
        status = Path(file).stat()
    except OSError as error:
        raise BadSettingError(
            f"{file} cannot be read: {error.strerror}. Name a TOML file with a table for each service."
        ) from error
    return _parse_file(file, (status.st_ino, status.st_size, status.st_mtime_ns))


# to read takes milliseconds, and every question reads several times
@lru_cache(maxsize=32)
def _parse_file(file: str, _version: tuple[int, ...]) -> tuple[ServiceEntry, ...]:
    place = Path(file).name
    try:
        tables = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettingError(
            f"{place} is no TOML: {error}. Write a table [name] with url = for each service."
        ) from error
    return tuple(_parse_entry(place, name, table) for name, table in tables.items())


def _parse_entry(place: str, name: str, table: object) -> ServiceEntry:
    if not isinstance(table, dict):
        raise BadSettingError(f"{place}: {name} is outside of a table. Write [name] above it.")
    try:
        return ServiceEntry(**{**table, "name": name})
    except ValidationError as error:
        # not the values: one may be a key
        wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        known = ", ".join(field for field in ServiceEntry.model_fields if field != "name")
        raise BadSettingError(
            f"{place}, [{name}]: {wrong}. Known fields: {known}. A key is named by key_from."
        ) from None
