"""A client of the HTTP API of a shared server: campaigns, items, labels and people by method calls."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

import httpx2

from core.errors import TouchstoneError

_TRIES = 5
_FIRST_WAIT_S = 0.5
_SECONDS = 60.0
_PER_REQUEST = 500  # items
_AGAIN = frozenset({429, 502, 503, 504})

Record = dict[str, Any]


class CampaignClient:
    """Campaigns of a server, as a token allows. Every method raises TouchstoneError with what the server says.

    What is written is sent with a key of its own, so that it is written once, however often the network makes it be sent.
    """

    def __init__(self, server: str, token: str) -> None:
        self._http = httpx2.Client(
            base_url=f"{server.rstrip('/')}/api/v1/", headers={"Authorization": f"Bearer {token}"}, timeout=_SECONDS
        )

    def campaigns(self) -> list[Record]:
        """Every campaign that the token reads."""
        return list(self._pages("campaigns", "campaigns"))

    def items(self, campaign: str) -> Iterator[Record]:
        """Items of a campaign, by its id, with their texts and final answers."""
        return self._pages(f"campaigns/{campaign}/items", "items")

    def labels(self, campaign: str, after: str = "") -> Iterator[Record]:
        """Labels of a campaign in the order in which they were saved, from the one after an `event_id` on."""
        return self._pages(f"campaigns/{campaign}/labels", "labels", after)

    def progress(self, campaign: str) -> Record:
        """Figures of a campaign."""
        return self._send("GET", f"campaigns/{campaign}/progress")

    def create_campaign(self, name: str, questions: str, guidelines: str = "", **rules: Any) -> Record:
        """A new campaign with the questions of a set, by its name or as YAML, under rules such as `overlap=2`."""
        body = {"name": name, "questions": questions, "guidelines": guidelines, "rules": rules}
        return self._send("POST", "campaigns", body)

    def add_items(self, campaign: str, items: Sequence[Mapping[str, Any]]) -> int:
        """Add items with `document` and `summary` (and `original`, `part`, `key`, `feedback`, `asked`); how many are new."""
        parts = [items[begin : begin + _PER_REQUEST] for begin in range(0, len(items), _PER_REQUEST)]
        path = f"campaigns/{campaign}/items"
        return sum(int(self._send("POST", path, {"items": list(part)})["added"]) for part in parts)

    def set_open(self, campaign: str, open: bool) -> Record:  # the state as the server calls it
        """Open a campaign for labels, or close it."""
        return self._send("PATCH", f"campaigns/{campaign}", {"open": open})

    def assign(self, campaign: str, people: Sequence[str] = (), groups: Sequence[str] = ()) -> Record:
        """Let these people and groups label a campaign, and nobody else; none at all means everybody."""
        return self._send("PUT", f"campaigns/{campaign}/people", {"people": list(people), "groups": list(groups)})

    def add_people(self, people: Sequence[Mapping[str, Any]]) -> list[Record]:
        """Add people with `name` (and `role`, `groups`); the name and pseudonym of each who is new."""
        added: list[Record] = self._send("POST", "people", {"people": list(people)})["people"]
        return added

    def _pages(self, path: str, rows: str, after: str | None = "") -> Iterator[Record]:
        while after is not None:
            page = self._send("GET", path, params={"after": after, "limit": "1000"})
            yield from page[rows]
            after = page["next"]

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, params: Mapping[str, str] | None = None
    ) -> Record:
        headers = {} if body is None else {"Idempotency-Key": uuid4().hex}
        problem = ""
        for number in range(_TRIES):
            if number:
                time.sleep(_FIRST_WAIT_S * 2 ** (number - 1))
            try:
                answer = self._http.request(method, path, json=body, params=params, headers=headers)
            except httpx2.RequestError as error:
                problem = f"{self._http.base_url} cannot be reached: {error}. Check the address and the network."
                continue
            if answer.is_success:
                record: Record = answer.json()
                return record
            problem = _problem(answer)
            if answer.status_code not in _AGAIN:
                break
        raise TouchstoneError(problem)


def _problem(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["problem"])
    except (ValueError, KeyError, TypeError):
        return f"The server answered {answer.status_code}, which is no answer of Touchstone. Check the address."
