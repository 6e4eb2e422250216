"""A shared server with people and a campaign of each ready-made question set, and its Annotate page as a person handles it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from annotations.campaigns.campaign import (
    CampaignRules,
    CampaignSettings,
    NewTask,
    VersionContent,
    add_tasks,
    create_campaign,
)
from annotations.campaigns.questions import bundled_question_sets
from annotations.people.people import Member, Role, add_person
from annotations.people.sign_in import create_invite
from annotations.store.records import PairRecord
from annotations.store.store import Store
from core.text.contexts import NamedText, join_contexts
from core.types import Edit, ErrorType, Result, Seen, Span, Verdict
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS

DOCUMENT = (
    "The ferry Alma left the harbour at nine with forty crates of apples. "
    "Her captain had asked for a pilot, and the harbour office sent none. "
    "She reached the island before noon, and the crates were sold by evening."
)
SUMMARY = "The ferry left number {} with apples. Her captain had asked for a pilot. She reached the island before noon."
SECRETS = ("secret-author", "secret-title", "secret-domain", "secret-source", "secretmetric", "0.87654321", "7.654321")


@dataclass
class SharedServer:
    """The server, and what a manager of it does: people, invites and campaigns."""

    server: Server
    store: Store
    names: Any = field(default_factory=count)

    def code(self, role: Role = Role.ANNOTATOR, name: str = "") -> tuple[Member, str]:
        """A new person and the code that lets them in."""
        with self.store.writing() as session:
            person = add_person(session, name or f"Person {next(self.names)}", role)
            return person, create_invite(session, person.id, "boss")

    def campaign(self, questions: str, items: int = 3, guidelines: str = "", **rules: Any) -> CampaignSettings:
        """A campaign of a ready-made question set, or of one's own in YAML, with so many items of its own."""
        asks = bundled_question_sets().get(questions, questions)
        wording = VersionContent(asks, guidelines, CampaignRules(**{"overlap": 2, "apart": 0, **rules}))
        with self.store.writing() as session:
            campaign = create_campaign(session, f"Campaign {next(self.names)}", "boss", wording)
        self.add(campaign, items)
        return campaign

    def add(self, campaign: CampaignSettings, items: int, **task: Any) -> list[str]:
        """Put new items into a campaign; their ids."""
        ids = [keep(self.store, next(self.names)) for _ in range(items)]
        with self.store.writing() as session:
            add_tasks(session, campaign, [NewTask(id, asked=asked(campaign), **task) for id in ids])
        return ids

    def hostile(self, text: str) -> CampaignSettings:
        """A campaign of two explanations in which every field has this text."""
        pairs = [PairRecord(text, f"{text} {number}", f"{text} {number}{text}", (), by=text) for number in range(2)]
        ids = [self.store.save_pair(pair).id for pair in pairs]
        with self.store.writing() as session:
            campaign = create_campaign(
                session,
                text,
                text,
                VersionContent(bundled_question_sets()["judge-explanations"], text, CampaignRules()),
            )
            add_tasks(session, campaign, [NewTask(id, asked={"explanation": text}) for id in ids])
        return campaign

    def passages(self) -> CampaignSettings:
        """A campaign of one summary, of a document of two contexts with a question."""
        document, contexts = join_contexts([NamedText("Harbour", DOCUMENT), NamedText("Weather", "The sea was calm.")])
        pair = PairRecord(
            document,
            "The sea was calm.",
            "The sea was calm.",
            (),
            by="ada",
            contexts=contexts,
            question="How was the sea?",
        )
        id = self.store.save_pair(pair).id
        with self.store.writing() as session:
            content = VersionContent(bundled_question_sets()["label-summaries"], "", CampaignRules(overlap=1))
            campaign = create_campaign(session, "Passages", "ada", content)
            add_tasks(session, campaign, [NewTask(id)])
        return campaign

    def answers(self, campaign: CampaignSettings) -> list[dict[str, Any]]:
        """Every answer of a campaign in the order in which it came."""
        rows = self.server.rows(
            "SELECT answers FROM response JOIN reservation ON reservation.id = reservation_id "
            "WHERE campaign_id = ? AND act = 'answer' ORDER BY response.id",
            campaign.id,
        )
        return [json.loads(row["answers"]) for row in rows]


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Somebody else is writing to the database all the time."""
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def asked(campaign: CampaignSettings) -> Mapping[str, str]:
    """What the items of a question set need beside the texts."""
    if campaign.questions.unit == "explanation":
        return {"explanation": "The document says noon, not night."}
    return {"error_type": "Intrinsic Entity"} if campaign.questions.name == "write-typed" else {}


def keep(store: Store, number: int) -> str:
    """Keep an edited summary with everything about it that an annotator must not see."""
    original = SUMMARY.format(number)
    at = original.index("noon")
    edit = Edit(Span(at, at + 4), "night", "secret-author says so", "secret-author")
    scores = [
        Result(side, "secretmetric", "secretmetric", value, (), Seen(), 7.654321, "cpu")
        for side, value in (("original", 0.87654321), ("edited", 0.12345678))
    ]
    pair = PairRecord(
        f"{DOCUMENT} This was day {number}.",
        original,
        original.replace("noon", "night"),
        (edit,),
        by="secret-author",
        intended=Verdict.INCONSISTENT,
        error_type=ErrorType.EXTRINSIC_CIRCUMSTANCE,
        title="secret-title",
        domain="secret-domain",
        source="secret-source",
        outcomes=tuple(scores),
    )
    return store.save_pair(pair).id


@contextmanager
def opened(folder: Path, url: str = "", **environment: str) -> Iterator[SharedServer]:
    """A shared server whose database, by default an SQLite file, is open for a manager beside it."""
    database = url or f"sqlite:///{folder / 'touchstone.db'}"
    store = Store.open(database)
    # a lock that a test holds is told after a second
    served = url or f"{database}?timeout=1"
    with serve(folder, TOUCHSTONE_SHARED="true", TOUCHSTONE_DATABASE_URL=served, **environment) as server:
        yield SharedServer(server, store)
    store.close()


def sign_in(page: Page, shared_server: SharedServer, code: str) -> None:
    """Give the browser the cookie of a personal link, without drawing the page."""
    answer = page.request.get(f"{shared_server.server.url}/?invite={code}", headers={"Accept": "text/html"})
    assert answer.ok, answer.status


@dataclass(frozen=True)
class AnnotatePage:
    """One open Annotate page."""

    page: Page
    shared_server: SharedServer

    def enter(self, code: str, campaign: CampaignSettings) -> None:
        """Follow the personal link to a campaign."""
        self.page.goto(f"{self.shared_server.server.url}/?invite={code}&campaign={campaign.id}")
        self.start()

    def start(self) -> None:
        """Wait for the questions; leave the guidelines where they are shown first."""
        started = self.page.get_by_role("button", name="Start")
        expect(started.or_(self.save)).to_be_visible(timeout=START_MS)
        if started.is_visible():
            self.keys("Enter")
        expect(self.place).not_to_be_empty()  # the script of the page has drawn it, and hears keys

    @property
    def save(self) -> Locator:
        return self.page.locator(".labeller .save")

    @property
    def place(self) -> Locator:
        return self.page.locator(".labeller .where")

    @property
    def problem(self) -> Locator:
        return self.page.locator(".labeller .problem")

    def keys(self, *names: str) -> None:
        for name in names:
            self.page.keyboard.press(name)

    def write(self, text: str) -> None:
        """Type into the next question that takes words, and leave it; one that has to be answered next waits for them."""
        box = self.page.locator(".labeller textarea:focus")
        if not box.count():
            self.keys("t")
        expect(box).to_be_visible()
        self.page.keyboard.type(text)
        self.keys("Escape")

    @property
    def away(self) -> Locator:
        return self.page.locator(".labeller .away")

    def at(self, words: str, patience_ms: float | None = None) -> None:
        """Wait until this item is shown and may be saved, and what was pressed before it is in the database."""
        expect(self.place).to_have_text(words, timeout=patience_ms)
        expect(self.page.locator(".labeller")).to_have_attribute("aria-busy", "false")
        expect(self.save.locator("span")).to_have_text("Save")

    def past(self, number: int) -> None:
        """Wait until something else than this item is there."""
        expect(self.page.get_by_text(f"Item {number}", exact=True)).to_have_count(0)

    def active(self, question: str) -> None:
        expect(self.page.locator(f'fieldset.active[data-question="{question}"]')).to_be_visible()

    def drafted(self) -> None:
        expect(self.page.locator(".labeller .kept")).to_have_text("· draft kept")
