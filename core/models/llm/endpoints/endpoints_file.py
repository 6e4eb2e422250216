"""The file of endpoints: one table each, in TOML."""

from __future__ import annotations

import logging
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from core.base import wrong_fields
from core.errors import BadSettingError

_LOG = logging.getLogger(__name__)

_KEY_FIELDS = ("key", "api_key", "token")
"""Names under which a key might be written into the file, where none may be."""


LeftOutField = Literal["temperature", "top_p"]
StructuredForm = Literal["json_schema", "json_object", "none"]
Api = Literal["chat", "responses", "anthropic", "gemini"]
LEFT_OUT_FIELDS, STRUCTURED_FORMS, APIS = get_args(LeftOutField), get_args(StructuredForm), get_args(Api)
_NO_SEED = frozenset({"responses", "anthropic"})


class EndpointEntry(BaseModel):
    """One table of the file, `[name]`. Prices are money for a million tokens, in the unit of `budget`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(pattern=r"^[\w.-]+$")
    """The name of the table, by which commands and metrics choose the endpoint."""

    base_url: str
    """As `https://api.openai.com/v1`."""

    key_from: str = Field("", pattern=r"^\w*$")
    """The variable that holds the key, never the key itself; "" for a server that takes none."""

    model: str = ""
    """The model to ask where a question names none; "" if it must be named."""

    api: Api = "chat"
    """The protocol that the server speaks."""

    at_once: int = Field(8, ge=1, le=256)
    """Questions that may be under way together."""

    patience_s: float = Field(60.0, gt=0)
    """Seconds to wait for an answer, or between two pieces of a streamed one, of each try."""

    retries: int = Field(2, ge=0, le=20)
    """Further tries after one that failed for the moment; 0 to wait for nothing."""

    wait_s: float = Field(300.0, ge=0)
    """Seconds that it is waited for while it refuses the rate, loads, or is gone after it has answered before."""

    stream: bool | None = None
    """True to have answers sent piece by piece, False never; None where they may be long."""

    reasoning_tokens: int = Field(0, ge=0)
    """Limit of what a reasoning model may write before its answer; 0 for other models."""

    total_s: float = Field(600.0, gt=0)
    """Seconds that a whole streamed answer may take."""

    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    """Fields that are sent with every request, as `{chat_template_kwargs = {enable_thinking = false}}`."""

    headers: dict[str, str] = Field(default_factory=dict)
    """HTTP headers that are sent besides; a value `$NAME` is read from the variable NAME."""

    query: dict[str, str] = Field(default_factory=dict)
    """Parameters that are appended to every address, as `{api-version = "preview"}`."""

    key_header: str = Field("", pattern=r"^[\w-]*$")
    """Header that takes the key; "" for Authorization, as Bearer."""

    seed: int | None = None
    """Sent with each question after the number of its sample is added; None to send none."""

    leave_out: list[LeftOutField] = Field(default_factory=list)
    """Fields of a request that the model refuses."""

    system_role: bool = True
    """False to put the system message before the first question."""

    top_logprobs: int | None = Field(None, ge=1, le=20)
    """Likely tokens that the server gives at most for a place; None to find it out."""

    structured: StructuredForm = "json_schema"
    """The strictest form of structured answers to request."""

    price_read: float | None = Field(None, ge=0)
    """Price of tokens that are read; None if unknown."""

    price_written: float | None = Field(None, ge=0)
    """Price of tokens that are written; None if unknown."""

    price_cached: float | None = Field(None, ge=0)
    """Price of tokens that are read from the server's cache; None for `price_read`."""

    price_answer: float | None = Field(None, ge=0)
    """Money for each answer besides; None for nothing."""

    batch_price_factor: float = Field(0.5, ge=0, le=1)
    """The part of the prices that answers of its Batch API cost."""

    budget: float | None = Field(None, ge=0)
    """Money that may be spent in all; None for no limit."""

    @model_validator(mode="after")
    def _require_what_the_api_has(self) -> Self:
        if self.stream and self.api != "chat":
            raise ValueError(f'stream is for api = "chat", and api is "{self.api}". Leave stream out')
        if self.seed is not None and self.api in _NO_SEED:
            raise ValueError(f'api = "{self.api}" takes no seed. Leave seed out')
        return self


def read_endpoints_file(file: str) -> list[EndpointEntry]:
    """The endpoints of a file in its order; none for no file. Raises BadSettingError with file, table and field."""
    if not file.strip():
        return []
    try:
        status = Path(file.strip()).expanduser().stat()
        return list(_parse_file(file, (status.st_ino, status.st_size, status.st_mtime_ns)))
    except OSError as error:
        raise BadSettingError(
            f"TOUCHSTONE_ENDPOINTS names {file}, which cannot be read: {error.strerror}. Make it, or unset the variable."
        ) from error


# to read takes milliseconds, and every question to an endpoint reads several times
@lru_cache(maxsize=8)
def _parse_file(file: str, _version: tuple[int, ...]) -> tuple[EndpointEntry, ...]:
    try:
        tables = tomllib.loads(Path(file.strip()).expanduser().read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettingError(f"{file} is no TOML: {error}. Write a table [name] for each endpoint.") from error
    entries = []
    for name, table in tables.items():
        if not isinstance(table, dict):
            # the value may be a key: it is not repeated
            raise BadSettingError(f"{file}: {name} is outside of a table. Write [name] above it.")
        _refuse_keys(table, f"{file}, [{name}]")
        fields = {**table, "name": name}
        if "thoughts" in table:
            _warn_of_former_name(file, name)
            fields.setdefault("reasoning_tokens", fields.pop("thoughts"))
        try:
            entries.append(EndpointEntry(**fields))
        except ValidationError as error:
            wrong = wrong_fields(error)
            field_names = ", ".join(field for field in EndpointEntry.model_fields if field != "name")
            raise BadSettingError(f"{file}, [{name}]: {wrong}. Known fields: {field_names}.") from None
    return tuple(entries)


def read_further_fields(text: str, typed: Iterable[str]) -> dict[str, object]:
    """The fields of a table as they would stand in the file, typed beside others; raises BadSettingError."""
    if re.search(r"^\s*\[", text, re.MULTILINE):
        raise BadSettingError(
            'Write no [table] here, and one that is a value in one line: headers = {X-Title = "mine"}.'
        )
    try:
        fields: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettingError(
            f"The further settings are no TOML: {error}. Write one in each line, as at_once = 4."
        ) from error
    _refuse_keys(fields, "The further settings")
    if twice := sorted(fields.keys() & set(typed)):
        raise BadSettingError(
            f"{', '.join(twice)} has a field of its own in the form. Leave it out of the further settings."
        )
    return fields


def _refuse_keys(table: Mapping[str, object], where: str) -> None:
    for key_field in _KEY_FIELDS:
        if key_field in table:
            raise BadSettingError(
                f"{where}: {key_field} is not read, as keys do not belong into this file. Put the key into a variable of "
                "the environment or of .env and write key_from with the name of that variable."
            )


@cache
def _warn_of_former_name(file: str, name: str) -> None:
    _LOG.warning("%s, [%s]: thoughts is now reasoning_tokens; version 0.2 refuses the former name.", file, name)
