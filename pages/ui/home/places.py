"""Places of Touchstone that one can go to: pages, examples, metrics, and what was kept, run, labelled or imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from textwrap import shorten

from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Right
from annotations.store.reports import Work
from core.data import bundled_items
from core.scoring import METRICS, metric_title
from pages.server import services
from pages.ui.lessons import read_lessons
from pages.ui.results.project_button import audit_work
from pages.ui.results.reports_of_person import reports_of
from pages.ui.results.run_choice import BUNDLED_RUN, listed_runs, shown_runs
from pages.ui.shared.page_list import PARTS, pages_of

_MOST_KEPT = 200  # pairs that a search looks through
_MOST_LETTERS = 80  # of a summary that stands for a pair without a title
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Place:
    """A page, with the parameters of its address that open one thing there.

    `work` is the thing where a project may hold it; `at` is when it was last made or changed, and `by` whose it is, where known.
    """

    kind: str
    title: str
    view: str
    query: dict[str, str] = field(default_factory=dict)
    work: Work | None = None
    at: datetime = _LONG_AGO
    by: str = ""


def own_work(member: Member) -> list[Place]:
    """Everything that was kept, run, audited, labelled and imported here, the newest of each kind first."""
    store = services.store()
    pairs = {row.item_id: row for row in reversed(store.saved(_MOST_KEPT)) if row.kind == "pair"}
    work = [
        _pair_place(row.item_id, row.title, row.text, row.created_at, row.by) for row in reversed([*pairs.values()])
    ]
    work += [
        Place("stress run", row.name, "stress", {"run": id}, Work("run", id), row.created_at, row.owner)
        for id, row in listed_runs().items()
    ]
    work += [
        Place(
            "audit",
            f"{metric_title(metric)} on {data}",
            "audit",
            {"metric": metric, "data": data},
            audit_work(metric, data),
            at,
        )
        for (metric, data), at in store.audited().items()
    ]
    if member.may(Right.MANAGE):
        manager = ManagerActions(store, member)
        begun = manager.begun_at()
        work += [
            Place(
                "campaign",
                campaign.name,
                "campaigns",
                {"campaign": campaign.id},
                Work("campaign", campaign.id),
                begun[campaign.id],
            )
            for campaign in manager.campaigns()
        ]
    work += [
        Place("project", row.title, "projects", {"project": row.id}, at=row.changed_at)
        for row in reports_of(member).own()
    ]
    work += [
        Place("dataset", name, "evaluate", {"dataset": name}, Work("dataset", name), at)
        for name, at in store.import_times().items()
    ]
    return work


def recent_work(member: Member, most: int) -> list[Place]:
    """The work of this person, the newest first; work without a name is everybody's."""
    mine = {"", member.name} if services.settings().shared else None
    work = [place for place in own_work(member) if mine is None or place.by in mine]
    return sorted(work, key=lambda place: place.at, reverse=True)[:most]


def places_of_work(member: Member, work: Sequence[Work]) -> dict[Work, Place]:
    """The places of the things that this person may open; the others are left out."""
    own = {place.work: place for place in own_work(member) if place.work}
    places = {piece: own.get(piece) or _older_place(piece) for piece in work}
    return {piece: place for piece, place in places.items() if place}


def _older_place(work: Work) -> Place | None:
    """A bundled example or run, or a pair beyond those that are listed, which everybody with scores may open."""
    if work.kind == "run" and work.id == BUNDLED_RUN:
        return Place("stress run", shown_runs()[BUNDLED_RUN].name, "stress", {"run": BUNDLED_RUN}, work)
    if work.kind != "pair":
        return None
    bundled = next((item for item in bundled_items() if item.example.id == work.id), None)
    if bundled:
        return Place("example", bundled.title, "probe", {"example": work.id}, work)
    stored = services.store().pair(work.id)
    if not stored:
        return None
    return _pair_place(work.id, stored.pair.title, stored.pair.edited, stored.created_at, stored.pair.by)


def _pair_place(id: str, title: str, text: str, at: datetime, by: str) -> Place:
    name = title or shorten(text, _MOST_LETTERS, placeholder=" …")
    return Place("pair", name, "probe", {"example": id}, Work("pair", id), at, by)


def page_places(member: Member) -> Iterator[Place]:
    """The pages that the person may open."""
    for page in pages_of(member):
        yield Place("page", page.title, page.name)


def part_places(member: Member) -> Iterator[Place]:
    """The parts of pages that were pages of their own, of those that the person may open."""
    names = {page.name for page in pages_of(member)}
    for title, page, query in PARTS.values():
        if page in names:
            yield Place("page", title, page, dict(query))


def lesson_places(member: Member) -> Iterator[Place]:
    """The lessons on pages that the person may open, in their order; each opens with the first of its steps."""
    names = {page.title: page.name for page in pages_of(member)}
    for name, lesson in read_lessons().items():
        if lesson.pages <= names.keys():
            yield Place("lesson", lesson.title, names[lesson.steps[0].page], {"lesson": name})


def all_places(member: Member) -> Iterator[Place]:
    """Every place that the person may open, what is their own first."""
    yield from own_work(member)
    yield from page_places(member)
    yield from part_places(member)
    yield from lesson_places(member)
    for item in bundled_items():
        if not item.parent:
            yield Place("example", item.title, "probe", {"example": item.example.id})
    for plugin in METRICS:
        yield Place("metric", plugin.card.title, "metrics", {"metric": plugin.name})


def matching(places: Sequence[Place], words: str) -> list[Place]:
    """The places whose kind, title or address has all of the words, in any order."""
    searched = words.casefold().split()
    texts = [(place, " ".join([place.kind, place.title, *place.query.values()]).casefold()) for place in places]
    return [place for place, text in texts if all(word in text for word in searched)]
