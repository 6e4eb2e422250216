"""A campaign and people for it."""

from __future__ import annotations

from uuid import uuid4

from annotations.campaigns.managing import Managing
from annotations.campaigns.people import Member, Role, local
from annotations.campaigns.questions import ready_made
from annotations.campaigns.rules import Rules
from annotations.campaigns.setup import NewTask, Terms, Wording
from annotations.records import KeptPair
from annotations.store import Store
from core.types import Edit, Span

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


def _keep(store: Store, name: str) -> str:
    original, document = f"{name} took crates.", f"{name}. {_SENTENCE * 17}"
    edit = Edit(Span(0, 4), "Raft", "It was none.")
    pair = KeptPair(document, original, f"Raft{original[4:]}", (edit,), by="local", intended=None, source="pasted")
    return store.keep_pair(pair).id
