"""Places of Touchstone that one can go to: pages, examples, metrics, and what was kept, run, labelled or imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import shorten

from annotations.campaigns.manage import ManagerActions
from annotations.campaigns.people import Member, Right
from core.datasets.bundled import bundled_items
from core.metric import METRICS
from pages.server import services
from pages.ui.lessons import read_lessons
from pages.ui.shared.pin_form import reports_of
from pages.ui.shared.run_choice import listed_runs
from pages.ui.shared.session_user import pages_of

_MOST_KEPT = 200  # pairs that a search looks through
_MOST_LETTERS = 80  # of a summary that stands for a pair without a title


@dataclass(frozen=True, slots=True)
class Place:
    """A page, with the parameters of its address that open one thing there."""

    kind: str
    title: str
    view: str
    query: dict[str, str] = field(default_factory=dict)


def own_work(member: Member) -> list[Place]:
    """Everything that was kept, run, labelled and imported here, kind by kind, the newest first."""
    store = services.store()
    kept = [row for row in store.saved(_MOST_KEPT) if row.kind == "pair"]
    work = [
        Place(
            "pair", row.title or shorten(row.text, _MOST_LETTERS, placeholder=" …"), "probe", {"example": row.item_id}
        )
        for row in kept
    ]
    work += [Place("stress run", row.name, "stress", {"run": id}) for id, row in listed_runs().items()]
    if member.may(Right.MANAGE):
        campaigns = ManagerActions(store, member).campaigns()
        work += [Place("campaign", one.name, "campaigns", {"campaign": one.id}) for one in campaigns]
    work += [Place("report", row.title, "report", {"report": row.id}) for row in reports_of(member).own()]
    work += [Place("dataset", name, "evaluate", {"dataset": name}) for name in store.dataset_names()]
    return work


def page_places(member: Member) -> Iterator[Place]:
    """The pages that the person may open."""
    for page in pages_of(member):
        yield Place("page", page.title, page.name)


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
    yield from lesson_places(member)
    for item in bundled_items():
        if not item.parent:
            yield Place("example", item.title, "probe", {"example": item.example.id})
    for plugin in METRICS:
        yield Place("metric", plugin.card.title, "metrics", {"metric": plugin.name})


def matching(places: Sequence[Place], words: str) -> list[Place]:
    """The places whose kind, title or address has all of the words, in any order."""
    wanted = words.casefold().split()
    return [one for one in places if all(word in _text(one) for word in wanted)]


def _text(place: Place) -> str:
    return " ".join([place.kind, place.title, *place.query.values()]).casefold()
