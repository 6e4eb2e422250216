"""Files that declare metrics: TOML with one table each, `[name]`, of which every kind of metric reads those that are its own."""

from __future__ import annotations

import tomllib
from abc import abstractmethod
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadSettingError

NAME_PATTERN = r"^[a-z0-9][a-z0-9-]*$"
"""Form of the name of a declared metric."""


class MetricEntry(BaseModel):
    """One table: the name and the lines of the card that every kind of metric has."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    hint: ClassVar[str]
    """A sentence on the fields, which ends a message on a wrong one."""

    name: str = Field(pattern=NAME_PATTERN)
    title: str = ""
    measures: str = ""
    paper: str = ""
    licence: str = ""
    languages: str = "any"

    @classmethod
    @abstractmethod
    def owns(cls, table: dict[str, object]) -> bool:
        """True for a table of this kind of metric."""

    @classmethod
    def parse(cls, place: str, name: str, table: object) -> Self:
        """The entry of a table in the file called `place`. Raises BadSettingError with file, table and field."""
        if not isinstance(table, dict):
            raise BadSettingError(f"{place}: {name} is outside of a table. Write [name] above it.")
        try:
            return cls(**{**table, "name": name})
        except ValidationError as error:
            # not the values: one may be a key
            wrong = wrong_fields(error)
            field_names = ", ".join(field for field in cls.model_fields if field != "name")
            raise BadSettingError(f"{place}, [{name}]: {wrong}. Known fields: {field_names}. {cls.hint}") from None

    @property
    def shown_title(self) -> str:
        return self.title or self.name.replace("-", " ").capitalize()


Entry = TypeVar("Entry", bound=MetricEntry)


def read_entries(file: str, kind: type[Entry]) -> tuple[Entry, ...]:
    """The tables of a file that are of this kind, in its order. Raises BadSettingError with file, table and field."""
    try:
        status = Path(file).stat()
    except OSError as error:
        raise BadSettingError(
            f"{file} cannot be read: {error.strerror}. Name a TOML file with a table for each metric."
        ) from error
    return cast(tuple[Entry, ...], _parse_file(file, kind, (status.st_ino, status.st_size, status.st_mtime_ns)))


# to read takes milliseconds, and every question to a service reads several times
@lru_cache(maxsize=64)
def _parse_file(file: str, kind: type[MetricEntry], _version: tuple[int, ...]) -> tuple[MetricEntry, ...]:
    place = Path(file).name
    try:
        tables = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettingError(
            f"{place} is no TOML: {error}. Write a table [name] with url = of a service, checkpoint = or combine =, for each metric."
        ) from error
    return tuple(
        kind.parse(place, name, table)
        for name, table in tables.items()
        if not isinstance(table, dict) or kind.owns(table)
    )


def wrong_fields(error: ValidationError) -> str:
    """Each invalid field with its error; an error of several fields together has no name before it."""
    # the prefix stands before messages of our own validators
    errors = (
        (".".join(map(str, details["loc"])), details["msg"].removeprefix("Value error, ")) for details in error.errors()
    )
    return "; ".join(": ".join(filter(None, parts)) for parts in errors)
