"""Operations of the HTTP API: a row for each request, from which it is answered, and described as OpenAPI."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel

from annotations.exchange.api_reads import MOST_ROWS, ApiReads
from annotations.exchange.api_writes import (
    ApiWrites,
    AssignedPeopleBody,
    CampaignStateBody,
    NewCampaignBody,
    NewItemsBody,
    NewPeopleBody,
)
from annotations.management.webhooks import EVENTS

ROWS_BY_DEFAULT = 100
MOST_BODY_BYTES = 20 * 2**20
DESCRIPTION = "openapi.json"
"""Path of the description, below `api/v1/`."""
Method = Literal["GET", "POST", "PUT", "PATCH"]


@dataclass(frozen=True, slots=True)
class Operation:
    """A request: its path below `api/v1/` with {id} for a campaign, the method of ApiReads or ApiWrites that answers it, and what is sent.

    `rows` names the rows of a page.
    """

    method: Method
    path: str
    name: str
    body: type[BaseModel] | None = None
    rows: str = ""

    @property
    def about(self) -> str:
        """First line of the docstring of what answers it."""
        answers = getattr(ApiWrites if self.body else ApiReads, self.name)
        return (inspect.getdoc(answers) or "").splitlines()[0]


OPERATIONS = (
    Operation("GET", "campaigns", "campaigns", rows="campaigns"),
    Operation("POST", "campaigns", "create_campaign", NewCampaignBody),
    Operation("PATCH", "campaigns/{id}", "change_campaign", CampaignStateBody),
    Operation("GET", "campaigns/{id}/items", "items", rows="items"),
    Operation("POST", "campaigns/{id}/items", "add_items", NewItemsBody),
    Operation("PUT", "campaigns/{id}/people", "assign_people", AssignedPeopleBody),
    Operation("GET", "campaigns/{id}/labels", "labels", rows="labels"),
    Operation("GET", "campaigns/{id}/progress", "progress"),
    Operation("POST", "people", "add_people", NewPeopleBody),
)


def match_path(path: str) -> tuple[str, Mapping[str, Operation]]:
    """The campaign that a path below `api/v1/` names, "" for none, and the operations there by their method."""
    parts = path.split("/")
    by_method: dict[str, Operation] = {}
    for operation in OPERATIONS:
        own = operation.path.split("/")
        if len(own) == len(parts) and all(name in {"{id}", part} for name, part in zip(own, parts, strict=True)):
            by_method[operation.method] = operation
    campaign = next((parts[1] for operation in by_method.values() if "{id}" in operation.path), "")
    return campaign, MappingProxyType(by_method)


_PARAMETERS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        "after": {"name": "after", "in": "query", "schema": {"type": "string", "default": ""}},
        "limit": {
            "name": "limit",
            "in": "query",
            "schema": {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": ROWS_BY_DEFAULT},
        },
        "key": {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 200}},
    }
)


def openapi() -> dict[str, Any]:
    """The OpenAPI 3.1 description of every operation."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(f"/{operation.path}", {})[operation.method.lower()] = _description(operation)
    text: dict[str, Any] = {"type": "string"}
    webhooks = {}  # what they are sent at an event
    for event, about in EVENTS.items():
        campaign = {"type": "object", "properties": {"id": text, "name": text}}
        own = {"counts": {"type": "object"}} if event.startswith("campaign.") else {"person": text, "item_id": text}
        body = {"id": text, "event": {"const": event}, "reason": text, "at": {**text, "format": "date-time"}}
        schema = {"type": "object", "properties": {**body, "campaign": campaign, **own}}
        headers = ("X-Touchstone-Event", "X-Touchstone-Signature")
        webhooks[event] = {
            "post": {
                "summary": about,
                "security": [],
                "parameters": [{"name": name, "in": "header", "schema": text} for name in headers],
                "requestBody": {"content": {"application/json": {"schema": schema}}},
                "responses": {"2XX": {"description": "received"}},
            }
        }
    problem = {"type": "object", "required": ["problem"], "properties": {"problem": text}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Touchstone", "version": "1", "description": "Campaigns of a shared server."},
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Problem": problem},
        },
    }


def _description(operation: Operation) -> dict[str, Any]:
    names = [
        *(["id"] if "{id}" in operation.path else []),
        *(["after", "limit"] if operation.rows else []),
        *(["key"] if operation.body else []),
    ]
    if operation.rows:
        rows = {"type": "array", "items": {"type": "object"}}
        answer: dict[str, Any] = {"properties": {operation.rows: rows, "next": {"type": ["string", "null"]}}}
    else:
        answer = {}
    problem = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    refusals = {"400": "what was sent is wrong", "401": "no valid token", "404": "nothing there", "503": "try again"}
    if operation.body:
        refusals |= {"403": "the token does not write this", "409": "another request had this idempotency key"}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.about,
        "parameters": [_PARAMETERS[name] for name in names],
        "responses": {
            "200": {"description": "done", "content": {"application/json": {"schema": {"type": "object", **answer}}}},
            **{status: {"description": says, **problem} for status, says in sorted(refusals.items())},
        },
    }
    if operation.body:
        schema = operation.body.model_json_schema()
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _inlined(schema, schema.get("$defs", {}))}},
        }
    return described


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """A JSON schema without references to its own definitions, which OpenAPI would look for elsewhere."""
    if isinstance(schema, list):
        return [_inlined(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if name := schema.get("$ref"):
        return _inlined(definitions[str(name).rpartition("/")[2]], definitions)
    return {name: _inlined(part, definitions) for name, part in schema.items() if name != "$defs"}
