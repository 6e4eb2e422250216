"""Refusals of endpoints that no row of the table of kinds fits: kept without keys, and written as text for an issue."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from core.base import open_database
from core.errors import TouchstoneError
from core.models.llm.client.refusal_kinds import without_echo
from core.models.llm.endpoints.endpoint import Endpoint
from core.settings import VERSION

_FILE = "unknown-refusals-1.sqlite"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS refusal (form TEXT PRIMARY KEY, host TEXT, api TEXT, model TEXT, status INTEGER, headers TEXT, "
    "body TEXT, requests INTEGER, last TEXT)"
)
_MAX_ROWS, _MAX_CHARACTERS = 200, 2000
_HEADERS = re.compile(r"server|content-type|retry-after.*|x-ratelimit-.*|x-should-retry")
_SECRETS = re.compile(r"\b(?:sk|pk|key|hf|gsk|xai|AIza)[-_][\w-]{8,}|(?i:bearer)\s+\S+")
_MIN_SECRET_CHARACTERS = 6
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UnknownRefusal:
    """A form of refusals that no row of the table fits."""

    host: str
    """Name of the server, without port."""

    api: str
    """The protocol of the endpoint."""

    model: str
    """The model that was asked."""

    status: int
    """HTTP status."""

    headers: Mapping[str, str]
    """Headers about limits and repeats."""

    body: str
    """The answer without keys and repeated questions, at most 2,000 characters."""

    requests: int
    """Number of refusals of this form, whatever numbers they name."""

    last: str
    """Date of the last of them."""


def keep_unknown(
    folder: Path, endpoint: Endpoint, model: str, status: int, headers: Mapping[str, str], body: object
) -> None:
    """Count a refusal; where the folder cannot be written the log says so."""
    shown = {name: _redact(endpoint, value) for name, value in headers.items() if _HEADERS.fullmatch(name.lower())}
    text = _redact(endpoint, json.dumps(without_echo(body), ensure_ascii=False, default=str))[:_MAX_CHARACTERS]
    host = urlsplit(endpoint.base_url).hostname or ""
    form = hashlib.sha256(re.sub(r"\d+", "0", f"{host} {status} {text}").encode("utf-8", "replace")).hexdigest()
    row = (form, host, endpoint.api, model, status, json.dumps(shown), text, f"{datetime.now(UTC):%Y-%m-%d}")
    try:
        with closing(open_database(folder / _FILE, "list of unknown refusals", _TABLE)) as database, database:
            database.execute(
                "INSERT INTO refusal VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?) "
                "ON CONFLICT (form) DO UPDATE SET requests = requests + 1, last = excluded.last",
                row,
            )
            database.execute(
                "DELETE FROM refusal WHERE form NOT IN (SELECT form FROM refusal ORDER BY last DESC LIMIT ?)",
                (_MAX_ROWS,),
            )
    except (TouchstoneError, sqlite3.Error) as error:
        _LOG.warning("A refusal of an unknown form is not kept: %s", error)


def read_unknown(folder: Path) -> list[UnknownRefusal]:
    """The forms that are kept, the latest first."""
    file = folder / _FILE
    if not file.is_file():
        return []
    with closing(open_database(file, "list of unknown refusals", _TABLE)) as database:
        rows = database.execute(
            "SELECT host, api, model, status, headers, body, requests, last FROM refusal ORDER BY last DESC, requests DESC"
        ).fetchall()
    return [
        UnknownRefusal(host, api, model, status, json.loads(headers), body, requests, last)
        for host, api, model, status, headers, body, requests, last in rows
    ]


def issue_text(refusal: UnknownRefusal) -> str:
    """The refusal as text for an issue, in Markdown."""
    headers = "\n".join(f"{name}: {value}" for name, value in refusal.headers.items())
    return "\n".join(
        (
            f"### Unknown refusal: status {refusal.status} of {refusal.host}",
            "",
            f"Touchstone {VERSION}, api {refusal.api}, model {refusal.model or 'not named'}, {refusal.requests} times, last on {refusal.last}",
            "",
            "```",
            *((headers, "") if headers else ()),
            refusal.body.replace("```", "'''"),
            "```",
            "",
        )
    )


def _redact(endpoint: Endpoint, text: str) -> str:
    values = [value for _, value in (*endpoint.headers, *endpoint.query) if len(value) >= _MIN_SECRET_CHARACTERS]
    for secret in filter(None, (endpoint.key, *values)):
        text = text.replace(secret, "…")
    return _SECRETS.sub("…", text).encode("utf-8", "replace").decode()
