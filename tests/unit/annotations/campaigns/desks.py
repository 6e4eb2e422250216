"""A campaign with people and items, for tests of what happens in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from annotations.campaigns.labelling import Labelling
from annotations.campaigns.people import Member, Role, add_person
from annotations.campaigns.questions import ready_made
from annotations.campaigns.queue import Nothing
from annotations.campaigns.responding import Act, Kept, Sent
from annotations.campaigns.rules import Rules
from annotations.campaigns.setup import NewTask, Terms, Wording, add_tasks, create
from annotations.campaigns.showing import Work
from annotations.records import KeptPair
from annotations.store import Store
from core.types import Edit, Span, Verdict

ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "label-summaries": {"verdict": "consistent", "confidence": 4},
    "label-pairs": {"unfaithful": "right", "error_type": "Intrinsic Entity", "explanation": "It was two, not three."},
    "edit-quality": {"inconsistent": "yes", "interesting": "no"},
}


@dataclass
class Hall:
    """One store with one campaign."""

    store: Store
    campaign: Terms
    events: Any = field(default_factory=lambda: count(1))

    def person(self, name: str, role: Role = Role.ANNOTATOR) -> Member:
        with self.store.writing() as session:
            return add_person(session, name, role)

    def desk(self, name: str) -> Labelling:
        return Labelling(self.store, self.person(name))

    def work(self, desk: Labelling) -> Work:
        found = desk.next(self.campaign.id)
        assert isinstance(found, Work), found
        return found

    def nothing(self, desk: Labelling) -> str:
        found = desk.next(self.campaign.id)
        assert isinstance(found, Nothing), found
        return found.why

    def send(self, desk: Labelling, work: Work, act: Act = "answer", **changes: Any) -> Kept:
        given = {
            "answers": ANSWERS.get(self.campaign.questions.name, {}) if act == "answer" else {},
            "reason": "" if act == "answer" else "It is cut off.",
            "event_id": f"event-{next(self.events)}",
            **changes,
        }
        return desk.send(Sent(work.reservation, act, **given))

    def label(self, desk: Labelling, number: int) -> list[Work]:
        """Take and answer so many tasks."""
        had = []
        for _ in range(number):
            had.append(self.work(desk))
            self.send(desk, had[-1])
        return had

    def add(self, tasks: list[NewTask]) -> int:
        with self.store.writing() as session:
            return add_tasks(session, self.campaign, tasks)


def keep(store: Store, number: int, by: str = "ada", versions: int = 1) -> list[str]:
    """Keep edited summaries of one document each; their ids."""
    ids = []
    for version in range(versions):
        document, original = f"Boat {number} took {number} crates to the mill.", f"Boat {number} took crates."
        edited = Edit(Span(0, 4), f"Raft{version or ''}", "It was a boat.")
        pair = KeptPair(
            document,
            original,
            f"{edited.new}{original[4:]}",
            (edited,),
            by=by,
            intended=Verdict.INCONSISTENT,
            source="pasted",
        )
        ids.append(store.keep_pair(pair).id)
    return ids


def hall(store: Store, questions: str = "label-summaries", items: int = 3, **rules: Any) -> Hall:
    """A campaign with so many items of work, each labelled by one person unless the rules say otherwise."""
    with store.writing() as session:
        wording = Wording(ready_made()[questions], "", Rules(**{"overlap": 1, **rules}))
        campaign = create(session, "Boats", "ada", wording)
    opened = Hall(store, campaign)
    asked = {"explanation": "It was a boat."} if campaign.questions.unit == "explanation" else {}
    opened.add([NewTask(id, asked=asked) for number in range(items) for id in keep(store, number)])
    return opened
