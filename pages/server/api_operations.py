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
    found: dict[str, Operation] = {}
    for one in OPERATIONS:
        own = one.path.split("/")
        if len(own) == len(parts) and all(name in {"{id}", part} for name, part in zip(own, parts, strict=True)):
            found[one.method] = one
    campaign = next((parts[1] for one in found.values() if "{id}" in one.path), "")
    return campaign, MappingProxyType(found)


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
    for one in OPERATIONS:
        paths.setdefault(f"/{one.path}", {})[one.method.lower()] = _description(one)
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


def _description(one: Operation) -> dict[str, Any]:
    names = [
        *(["id"] if "{id}" in one.path else []),
        *(["after", "limit"] if one.rows else []),
        *(["key"] if one.body else []),
    ]
    if one.rows:
        rows = {"type": "array", "items": {"type": "object"}}
        answer: dict[str, Any] = {"properties": {one.rows: rows, "next": {"type": ["string", "null"]}}}
    else:
        answer = {}
    problem = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    refusals = {"400": "what was sent is wrong", "401": "no valid token", "404": "nothing there", "503": "try again"}
    if one.body:
        refusals |= {"403": "the token does not write this", "409": "another request had this idempotency key"}
    described: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.about,
        "parameters": [_PARAMETERS[name] for name in names],
        "responses": {
            "200": {"description": "done", "content": {"application/json": {"schema": {"type": "object", **answer}}}},
            **{status: {"description": says, **problem} for status, says in sorted(refusals.items())},
        },
    }
    if one.body:
        schema = one.body.model_json_schema()
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _inlined(schema, schema.get("$defs", {}))}},
        }
    return described


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """A JSON schema without references to its own definitions, which OpenAPI would look for elsewhere."""
    if isinstance(schema, list):
        return [_inlined(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if name := schema.get("$ref"):
        return _inlined(definitions[str(name).rpartition("/")[2]], definitions)
    return {name: _inlined(one, definitions) for name, one in schema.items() if name != "$defs"}
