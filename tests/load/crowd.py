"""A campaign, people for it, and what one of them does: label, and take the next task."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import uuid4

from annotations.campaigns.labelling import Labelling, Sent, Work
from annotations.campaigns.managing import Managing
from annotations.campaigns.people import Member, Role, local
from annotations.campaigns.questions import ready_made
from annotations.campaigns.rules import Rules
from annotations.campaigns.setup import NewTask, Terms, Wording
from annotations.records import KeptPair
from annotations.store import Store
from core.types import Edit, Span

ANSWERS = {"verdict": "consistent", "confidence": 4}
_KNOWN = 25
_SENTENCE = "The boat took crates of apples to the mill and came back with flour before the night fell. "


def open_campaign(store: Store, tasks: int, **rules: int) -> Terms:
    """Summaries of documents of 300 words, some of them with a known answer."""
    boss = Managing(store, local(store, "local"))
    work = [NewTask(_keep(store, f"Boat {number}")) for number in range(tasks)]
    known = [NewTask(_keep(store, f"Mill {number}"), "gold", key={"verdict": "consistent"}) for number in range(_KNOWN)]
    wording = Wording(ready_made()["label-summaries"], "", Rules.model_validate(rules))
    return boss.create(f"Load {uuid4().hex[:8]}", wording, [*work, *known])


def people(store: Store, campaign: Terms, number: int) -> list[Member]:
    boss = Managing(store, local(store, "local"))
    return [boss.add_person(f"{campaign.name}, {place}", Role.ANNOTATOR) for place in range(number)]


def label(desk: Labelling, campaign: Terms, labels: int) -> Iterator[tuple[str, float]]:
    """Label without a pause: each event once it is acknowledged, and the milliseconds until the next task was there."""
    found = desk.next(campaign.id)
    for _ in range(labels):
        if not isinstance(found, Work):
            return
        event, begun = uuid4().hex, time.perf_counter()
        desk.send(Sent(found.reservation, "answer", event, ANSWERS))
        found = desk.next(campaign.id)
        yield event, 1000 * (time.perf_counter() - begun)


def _keep(store: Store, name: str) -> str:
    original, document = f"{name} took crates.", f"{name}. {_SENTENCE * 17}"
    edit = Edit(Span(0, 4), "Raft", "It was none.")
    pair = KeptPair(document, original, f"Raft{original[4:]}", (edit,), by="local", intended=None, source="pasted")
    return store.keep_pair(pair).id
