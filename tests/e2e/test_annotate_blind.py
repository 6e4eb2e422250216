"""What an annotator's browser receives, and what two browsers get from one queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Response, expect

from annotations.campaigns.assignment import CampaignPeople, assign
from tests.e2e.shared_server import SECRETS, AnnotatePage, SharedServer
from tests.e2e.waiting import START_MS

pytestmark = pytest.mark.e2e

HOSTILE = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script> ![a](http://127.0.0.1:9/a.png) =1+1'


class Wire:
    """Everything that a page receives: what it loads, but for the files of Streamlit itself, and frames of sockets."""

    def __init__(self, page: Page) -> None:
        self._frames: list[bytes] = []
        self._loaded: list[Response] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._frame))
        page.on("response", lambda answer: self._loaded.append(answer))

    def _frame(self, frame: str | bytes) -> None:
        self._frames.append(frame if isinstance(frame, bytes) else frame.encode())

    def received(self) -> bytes:
        loaded = [answer.body() for answer in self._loaded if answer.ok and "/static/" not in answer.url]
        return b"\n".join([*self._frames, *loaded]).lower()


def test_nothing_that_an_annotator_receives_tells_scores_makers_intentions_or_other_labels(
    new_page: Callable[[], Page], new_context: Callable[[], BrowserContext], shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-pairs", items=2)
    shared_server.add(campaign, 1, part="gold", key={"unfaithful": "neither"}, feedback="secret-feedback")
    other = AnnotatePage(new_page(), shared_server)
    other.enter(shared_server.code()[1], campaign)
    for number in (1, 2):
        other.at(f"Item {number}")
        other.keys("2", "8")
        other.write("secret-label")
        other.keys("Enter")
    page = new_context().new_page()
    wire = Wire(page)
    annotate_page = AnnotatePage(page, shared_server)
    others = shared_server.campaign("label-summaries", guidelines="secret-guidelines")
    colleague, _ = shared_server.code(name="secret-colleague")
    with shared_server.store.writing() as session:
        assign(session, others.id, CampaignPeople((colleague.id,)), "boss")
    page.goto(f"{shared_server.server.url}/?invite={shared_server.code()[1]}&campaign={others.id}")
    expect(page.get_by_text("The campaign of this link is closed, or for others.")).to_be_visible(timeout=START_MS)
    page.get_by_role("combobox", name="Go on with another campaign").click()
    page.get_by_role("option", name=campaign.name).click()
    annotate_page.start()
    for number in (1, 2):
        annotate_page.at(f"Item {number}")
        annotate_page.keys("4", "Enter")
    expect(page.get_by_text("You have labelled everything")).to_be_visible()
    everything = wire.received() + page.content().lower().encode()
    assert b"the ferry left number" in everything
    for secret in (
        *SECRETS,
        "secret-feedback",
        "secret-label",
        "secret-guidelines",
        "secret-colleague",
        others.name.lower(),
        "inconsistent",
        "swapped",
    ):
        assert secret.encode() not in everything, secret


def test_two_people_at_one_queue_never_get_one_place_twice(
    new_page: Callable[[], Page], shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=4, overlap=1)
    one, other = AnnotatePage(new_page(), shared_server), AnnotatePage(new_page(), shared_server)
    for annotate_page in (one, other):
        annotate_page.enter(shared_server.code()[1], campaign)
    for number in (1, 2):
        one.at(f"Item {number}")
        other.at(f"Item {number}")
        one.keys("1", "3", "Enter")
        one.past(number)
        other.keys("1", "3", "Enter")
        other.past(number)
    expect(one.page.get_by_text("in the hands of others")).to_be_visible()
    expect(one.page.get_by_role("button", name="Look again")).to_be_visible()
    one.keys("Enter")
    for annotate_page in (one, other):
        expect(annotate_page.page.get_by_text("You have labelled everything")).to_be_visible()
    rows = shared_server.server.rows(
        "SELECT task_id, person_id, turn FROM reservation WHERE campaign_id = ?", campaign.id
    )
    assert set(Counter(row["task_id"] for row in rows).values()) == {1}
    assert len(rows) == 4


@pytest.mark.slow
def test_one_person_in_two_tabs_is_told_and_replaces_no_answer_unseen(
    page: Page, own_page: Page, shared_server: SharedServer
) -> None:
    campaign, (_, code) = shared_server.campaign("label-summaries", items=4), shared_server.code()
    one, other = (AnnotatePage(tab, shared_server) for tab in (page, own_page))
    one.enter(code, campaign)
    other.page.goto(f"{shared_server.server.url}/?campaign={campaign.id}")
    other.start()
    for annotate_page in (one, other):
        annotate_page.at("Item 1")
    expect(other.page.locator(".labeller .second")).to_be_visible()
    expect(one.page.locator(".labeller .second")).to_be_hidden()
    one.keys("1", "3", "Enter")
    one.at("Item 2")
    other.keys("1", "4", "Enter")
    expect(other.problem).to_contain_text("in another window")
    other.at("Item 1, answered before")
    expect(other.page.locator(".labeller [aria-pressed=true]")).to_contain_text(["Consistent", "3"])
    other.keys("n")
    other.at("Item 2")
    rows = shared_server.server.rows(
        "SELECT task_id, person_id, turn FROM reservation WHERE campaign_id = ?", campaign.id
    )
    assert len({tuple(row) for row in rows}) == len(rows)
    assert [answer["confidence"] for answer in shared_server.answers(campaign)] == [3]


@pytest.mark.slow
def test_what_people_write_is_shown_as_text_in_every_field(page: Page, shared_server: SharedServer) -> None:
    campaign = shared_server.hostile(HOSTILE)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    annotate_page = AnnotatePage(page, shared_server)
    annotate_page.enter(shared_server.code(name=f"Person {HOSTILE}")[1], campaign)
    for words in (".document .text", ".labeller ins", ".labeller .texts"):
        expect(page.locator(words)).to_contain_text("<script>")
    annotate_page.keys("2", "1")
    annotate_page.write(HOSTILE)
    annotate_page.drafted()
    page.reload()
    annotate_page.start()
    expect(page.locator(".labeller textarea")).to_have_value(HOSTILE)
    annotate_page.keys("Enter")
    annotate_page.at("Item 2")
    annotate_page.keys("s")
    page.keyboard.type(HOSTILE)
    annotate_page.keys("Enter")
    expect(page.get_by_text("You have labelled everything")).to_be_visible()
    assert shared_server.answers(campaign) == [{"grade": "partially", "cause": "misattribution", "note": HOSTILE}]
    assert page.evaluate("window.__xss") is None
    assert not [url for url in asked if "127.0.0.1:9/" in url]
