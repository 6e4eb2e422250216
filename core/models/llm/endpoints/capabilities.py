"""Capabilities of the models of endpoints, found by a test, a call or a person: one row each in the cache folder.

A call reads it before it asks and adds what its server refused. What a table of the endpoints file or the form sets wins, then a
person's entry here; what a test or a call found is forgotten after some time, as servers change.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Literal

from core.base import open_database
from core.errors import TouchstoneError
from core.models.llm.endpoints.endpoint import LIKELY_TOKENS_LIMIT, Endpoint
from core.settings import Settings

CapabilityName = Literal[
    "system_role",
    "structured",
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
_KEPT = timedelta(days=30)
_FORMS = {"json_schema": frozenset[str](), "json_object": frozenset({"json_schema"})}
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

    def forget(self, endpoint: Endpoint, model: str, names: Iterable[CapabilityName] | None = None) -> None:
        """Drop these entries of a model, all by default: the next call finds them again."""
        with self._lock:
            capabilities = self._loaded().get((endpoint.address, model), {})
            dropped = [name for name in capabilities if names is None or name in set(names)]
            for name in dropped:
                del capabilities[name]
            self.version += 1
            rows = [(endpoint.address, model, name) for name in dropped]
            self._write("DELETE FROM capability WHERE address = ? AND model = ? AND name = ?", rows)

    def _loaded(self) -> dict[tuple[str, str], dict[CapabilityName, Capability]]:
        if self._capabilities is None:
            self._capabilities = {}
            for address, model, name, value, source, found_at in self._rows():
                capability = Capability(name, json.loads(value), source, datetime.fromisoformat(found_at))
                if name in CAPABILITY_TITLES and not capability.is_old:
                    self._capabilities.setdefault((address, model), {})[name] = capability
        return self._capabilities

    def _rows(self) -> list[tuple[str, str, CapabilityName, str, Source, str]]:
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
    if values.get("system_role") is False:
        parts.add("system")
    if "structured" in values:
        parts |= _FORMS.get(str(values["structured"]), {"json_schema", "json_object"})
    if limit := values.get("top_logprobs"):
        parts.add(f"{LIKELY_TOKENS_LIMIT}{limit}")
    return frozenset(parts)


def capabilities_without(parts: Iterable[str]) -> dict[CapabilityName, Value]:
    """Capabilities that follow from the parts that a server refused."""
    refused = set(parts)
    values: dict[CapabilityName, Value] = {name: False for name in _PARAMETERS if name in refused}
    if "system" in refused:
        values["system_role"] = False
    if "json_object" in refused:
        values["structured"] = "none"
    elif "json_schema" in refused:
        values["structured"] = "json_object"
    limits = [int(part.removeprefix(LIKELY_TOKENS_LIMIT)) for part in refused if part.startswith(LIKELY_TOKENS_LIMIT)]
    return values | ({"top_logprobs": min(limits)} if limits else {})


def format_value(value: Value) -> str:
    """A value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else value


def format_capabilities(capabilities: Capabilities) -> str:
    """All that is known, in one line."""
    return "; ".join(
        f"{CAPABILITY_TITLES[capability.name]}: {format_value(capability.value)}"
        for capability in capabilities.values()
    )
