"""A campaign and people for it."""

from __future__ import annotations

from uuid import uuid4

from annotations.campaigns.campaign import CampaignRules, CampaignSettings, NewTask, VersionContent
from annotations.campaigns.questions import bundled_question_sets
from annotations.management.manage import ManagerActions, local_member
from annotations.people.people import Member, Role
from annotations.store.records import PairRecord
from annotations.store.store import Store
from core.types import Edit, Span

_KNOWN = 25
_SENTENCE = "The boat took crates of apples to the mill and came back with flour before the night fell. "


def open_campaign(store: Store, tasks: int, **rules: int) -> CampaignSettings:
    """Summaries of documents of 300 words, some of them with a known answer."""
    boss = ManagerActions(store, local_member(store, "local"))
    work = [NewTask(_keep(store, f"Boat {number}")) for number in range(tasks)]
    known = [NewTask(_keep(store, f"Mill {number}"), "gold", key={"verdict": "consistent"}) for number in range(_KNOWN)]
    wording = VersionContent(bundled_question_sets()["label-summaries"], "", CampaignRules.model_validate(rules))
    return boss.create(f"Load {uuid4().hex[:8]}", wording, [*work, *known])


def people(store: Store, campaign: CampaignSettings, number: int) -> list[Member]:
    boss = ManagerActions(store, local_member(store, "local"))
    return [boss.add_person(f"{campaign.name}, {place}", Role.ANNOTATOR) for place in range(number)]


def _keep(store: Store, name: str) -> str:
    original, document = f"{name} took crates.", f"{name}. {_SENTENCE * 17}"
    edit = Edit(Span(0, 4), "Raft", "It was none.")
    pair = PairRecord(document, original, f"Raft{original[4:]}", (edit,), by="local", intended=None, source="pasted")
    return store.save_pair(pair).id
