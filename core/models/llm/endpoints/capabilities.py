"""Capabilities of the models of endpoints, found by a test, a call or a person: one row each in the cache folder.

A call reads it before it asks and adds what its server refused. What a table of the endpoints file or the form sets wins, then a
person's entry here; what a test or a call found is forgotten after some time, as servers change.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast

from core.base import open_database
from core.errors import TouchstoneError
from core.models.llm.endpoints.endpoint import LIKELY_TOKENS_LIMIT, Endpoint
from core.settings import Settings

CapabilityName = Literal[
    "system_role",
    "structured",
    "shapes",
    "top_logprobs",
    "temperature",
    "top_p",
    "max_tokens",
    "seed",
    "stream_options",
    "reasoning",
    "context",
    "usage",
]
Value = bool | int | str
Source = Literal["person", "test", "call"]

CAPABILITY_TITLES: Mapping[CapabilityName, str] = {
    "structured": "structured answers",
    "shapes": "shape of structured answers",
    "top_logprobs": "likely tokens at most",
    "system_role": "system role",
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_tokens",
    "seed": "seed",
    "stream_options": "usage at the end of a stream",
    "reasoning": "reasoning before the answer",
    "context": "window, in tokens",
    "usage": "usage in the answer",
}
_FILE = "endpoint-capabilities-1.sqlite"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS capability (address TEXT, model TEXT, name TEXT, value TEXT, source TEXT, found TEXT, "
    "PRIMARY KEY (address, model, name))"
)
_SCHEMA_MARK = "structured:"
_KEPT = timedelta(days=30)
_FORMS = {
    "json_schema": frozenset[str](),
    "relaxed": frozenset({"schema_limits"}),
    "json_object": frozenset({"json_schema"}),
}
_PARAMETERS: tuple[CapabilityName, ...] = ("top_p", "max_tokens", "seed", "stream_options")

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Capability:
    """One property of a model at an endpoint, who found it, and when."""

    name: CapabilityName
    value: Value
    source: Source
    found_at: datetime

    @property
    def is_old(self) -> bool:
        return self.source != "person" and datetime.now(UTC) - self.found_at > _KEPT


Capabilities = Mapping[CapabilityName, Capability]


class CapabilityStore:
    """The capabilities in a file, None for those of this process alone; safe among threads.

    `version` changes when a person or a test has entered something: what calls learned before is then read again.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._capabilities: dict[tuple[str, str], dict[CapabilityName, Capability]] | None = None
        self._forms: dict[tuple[str, str], dict[str, Capability]] = {}
        self.version = 0

    def get(self, endpoint: Endpoint, model: str) -> Capabilities:
        """The capabilities of a model at the address of an endpoint, as far as they are known."""
        with self._lock:
            capabilities = self._loaded().get((endpoint.address, model), {})
            return {name: capabilities[name] for name in CAPABILITY_TITLES if name in capabilities}

    def enter(self, endpoint: Endpoint, model: str, values: Mapping[CapabilityName, Value], source: Source) -> None:
        """Keep what was found; an entry of a person is replaced by a person only."""
        now = datetime.now(UTC)
        with self._lock:
            capabilities = self._loaded().setdefault((endpoint.address, model), {})
            entered = [
                Capability(name, value, source, now)
                for name, value in values.items()
                if source == "person" or name not in capabilities or capabilities[name].source != "person"
            ]
            capabilities |= {capability.name: capability for capability in entered}
            self.version += source != "call"
            rows = [
                (endpoint.address, model, capability.name, json.dumps(capability.value), source, now.isoformat())
                for capability in entered
            ]
            self._write("INSERT OR REPLACE INTO capability VALUES (?, ?, ?, ?, ?, ?)", rows)

    def enter_form(self, endpoint: Endpoint, model: str, schema: str, form: str) -> None:
        """Keep the form of structured answers that a call found for one schema, by its title; see `schema_title`."""
        now = datetime.now(UTC)
        with self._lock:
            forms = self._loaded_forms().setdefault((endpoint.address, model), {})
            forms[schema] = Capability("structured", form, "call", now)
            row = (endpoint.address, model, f"{_SCHEMA_MARK}{schema}", json.dumps(form), "call", now.isoformat())
            self._write("INSERT OR REPLACE INTO capability VALUES (?, ?, ?, ?, ?, ?)", [row])

    def forms(self, endpoint: Endpoint, model: str) -> Mapping[str, Capability]:
        """The forms of structured answers of the schemas that are not taken as they are, by the titles of these."""
        with self._lock:
            return dict(self._loaded_forms().get((endpoint.address, model), {}))

    def forget(self, endpoint: Endpoint, model: str, names: Iterable[CapabilityName] | None = None) -> None:
        """Drop these entries of a model, all by default: the next call finds them again."""
        with self._lock:
            capabilities = self._loaded().get((endpoint.address, model), {})
            dropped = [name for name in capabilities if names is None or name in set(names)]
            for name in dropped:
                del capabilities[name]
            self.version += 1
            rows = [(endpoint.address, model, str(name)) for name in dropped]
            if names is None or "structured" in set(names):
                forms = self._loaded_forms().pop((endpoint.address, model), {})
                rows += [(endpoint.address, model, f"{_SCHEMA_MARK}{schema}") for schema in forms]
            self._write("DELETE FROM capability WHERE address = ? AND model = ? AND name = ?", rows)

    def _loaded(self) -> dict[tuple[str, str], dict[CapabilityName, Capability]]:
        if self._capabilities is None:
            self._capabilities = {}
            for address, model, name, value, source, found_at in self._rows():
                is_form = name.startswith(_SCHEMA_MARK)
                title: CapabilityName = "structured" if is_form else cast(CapabilityName, name)
                capability = Capability(title, json.loads(value), source, datetime.fromisoformat(found_at))
                if capability.is_old:
                    continue
                if is_form:
                    schema = name.removeprefix(_SCHEMA_MARK)
                    self._forms.setdefault((address, model), {})[schema] = capability
                elif name in CAPABILITY_TITLES:
                    self._capabilities.setdefault((address, model), {})[title] = capability
        return self._capabilities

    def _loaded_forms(self) -> dict[tuple[str, str], dict[str, Capability]]:
        self._loaded()
        return self._forms

    def _rows(self) -> list[tuple[str, str, str, str, Source, str]]:
        if self._file is None or not self._file.is_file():
            return []
        try:
            with closing(open_database(self._file, "store of capabilities", _TABLE)) as database:
                return database.execute("SELECT * FROM capability").fetchall()
        except (TouchstoneError, sqlite3.Error) as error:
            _LOG.warning("What endpoints can do is found out again: %s", error)
            return []

    def _write(self, statement: str, rows: Sequence[tuple[str, ...]]) -> None:
        if self._file is None or not rows:
            return
        try:
            with closing(open_database(self._file, "store of capabilities", _TABLE)) as database, database:
                database.executemany(statement, rows)
        except (TouchstoneError, sqlite3.Error) as error:  # the answer is there, and a later call finds it out again
            _LOG.warning("What an endpoint can do is not kept: %s", error)


def capability_store() -> CapabilityStore:
    """The one that the calls of this process read."""
    return _opened(capabilities_file())


def capabilities_file() -> Path:
    return Settings.read().cache_dir / _FILE


@lru_cache(maxsize=64)
def _opened(file: Path) -> CapabilityStore:
    return CapabilityStore(file)


def parts_without(capabilities: Capabilities, endpoint: Endpoint) -> frozenset[str]:
    """The parts that requests leave out by what is known, but for what the endpoint's own settings say."""
    values = {name: capability.value for name, capability in capabilities.items() if name not in endpoint.own}
    parts: set[str] = {name for name in _PARAMETERS if values.get(name) is False}
    temperature = capabilities.get("temperature")
    # one that a test found may be refused by a reasoning model, which needs other settings too: a person sees to it
    if temperature and temperature.source == "call" and temperature.value is False:
        parts.add("temperature")
    if values.get("system_role") is False:
        parts.add("system")
    if "structured" in values:
        parts |= parts_without_form(str(values["structured"]))
    if limit := values.get("top_logprobs"):
        parts.add(f"{LIKELY_TOKENS_LIMIT}{limit}")
    return frozenset(parts)


def capabilities_without(parts: Iterable[str]) -> dict[CapabilityName, Value]:
    """Capabilities that follow from the parts that a server refused."""
    refused = set(parts)
    values: dict[CapabilityName, Value] = {name: False for name in (*_PARAMETERS, "temperature") if name in refused}
    if "system" in refused:
        values["system_role"] = False
    if "json_object" in refused:
        values["structured"] = "none"
    elif "json_schema" in refused:
        values["structured"] = "json_object"
    limits = [int(part.removeprefix(LIKELY_TOKENS_LIMIT)) for part in refused if part.startswith(LIKELY_TOKENS_LIMIT)]
    return values | ({"top_logprobs": min(limits)} if limits else {})


def parts_without_form(form: str) -> frozenset[str]:
    """The parts that requests leave out where this is the strictest form of structured answers."""
    return _FORMS.get(form, frozenset({"json_schema", "json_object"}))


def form_without(parts: Collection[str]) -> str:
    """The form of structured answers that is requested without these parts."""
    return next((form for form, refused in reversed(_FORMS.items()) if refused <= set(parts)), "json_schema")


@lru_cache(maxsize=256)
def schema_title(schema: str) -> str:
    """The name of a schema (see `structured.answer_schema`) with the first digits of its hash."""
    return f"{json.loads(schema)['name']}#{hashlib.sha256(schema.encode()).hexdigest()[:8]}"


def format_value(value: Value) -> str:
    """A value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else value


def format_capabilities(capabilities: Capabilities, forms: Mapping[str, Capability] = MappingProxyType({})) -> str:
    """All that is known, in one line; `forms` are those of single schemas."""
    lines = [
        f"{CAPABILITY_TITLES[capability.name]}: {format_value(capability.value)}"
        for capability in capabilities.values()
    ]
    lines += [f"{CAPABILITY_TITLES['structured']} {name}: {form.value}" for name, form in forms.items()]
    return "; ".join(lines)
