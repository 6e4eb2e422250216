"""Who comes in and what is there for them: invite links in several browsers, revoked, guessed, and signed out of."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.people.people import Role
from annotations.people.sign_in import load_invites, revoke_invite
from pages.server.sign_in import SESSION_COOKIE
from tests.e2e.bench import Bench
from tests.e2e.shared_server import SharedServer, sign_in
from tests.e2e.waiting import START_MS, idle, press

pytestmark = pytest.mark.e2e

OTHER_PAGES = ("campaigns", "data", "probe", "stress", "evaluate", "papers", "audit", "metrics", "prompts", "review")


def enter(page: Page, shared_server: SharedServer, code: str, path: str = "") -> None:
    page.goto(f"{shared_server.server.url}/{path}?invite={code}")


def open_people(page: Page) -> None:
    """Leave the form of a new campaign once all of it is there, and wait until the people are."""
    people = page.get_by_test_id("stButtonGroup").get_by_text("People")
    press(people)
    expect(page.get_by_role("heading", name="Valid links")).to_be_visible()
    idle(page)


def people(page: Page, shared_server: SharedServer) -> None:
    """Sign in as a new manager and open the people."""
    sign_in(page, shared_server, shared_server.code(Role.MANAGER)[1])
    page.goto(f"{shared_server.server.url}/campaigns")
    open_people(page)


def test_a_link_that_a_manager_makes_lets_one_person_in_until_it_is_revoked(
    new_page: Callable[[], Page], shared_server: SharedServer
) -> None:
    manager, annotator = new_page(), new_page()
    people(manager, shared_server)
    manager.get_by_role("textbox", name="Name", exact=True).fill("Dunja")
    press(manager.get_by_role("button", name="Add and make a link"))
    address = manager.get_by_test_id("stCode").inner_text().strip()
    assert address.startswith(f"{shared_server.server.url}/?invite=")
    [row] = shared_server.server.rows(
        "SELECT code_hash FROM invite JOIN person ON person.id = person_id WHERE name = 'Dunja'"
    )
    assert address.partition("invite=")[2] not in row["code_hash"]

    annotator.goto(address)
    expect(annotator.get_by_role("link", name="Annotate")).to_be_visible(timeout=START_MS)
    assert "invite" not in annotator.url
    expect(annotator.get_by_role("link", name="Campaigns")).to_have_count(0)
    annotator.reload()
    expect(annotator.get_by_role("link", name="Annotate")).to_be_visible(timeout=START_MS)

    manager.reload()
    open_people(manager)
    expect(manager.get_by_test_id("stCode")).to_have_count(0)
    [made] = shared_server.server.rows(
        "SELECT invite.id FROM invite JOIN person ON person.id = person_id WHERE name = 'Dunja'"
    )
    press(manager.locator(f".st-key-revoke-{made['id']}").get_by_role("button"))
    expect(manager.locator(f".st-key-revoke-{made['id']}")).to_have_count(0)
    annotator.reload()
    expect(annotator.get_by_role("heading", name="Sign in")).to_be_visible(timeout=START_MS)
    expect(annotator.get_by_text("Your personal link was revoked")).to_be_visible()


@pytest.mark.slow
def test_an_annotator_gets_nothing_of_other_pages_by_their_address(
    browser: Browser, shared_server: SharedServer
) -> None:
    campaign = shared_server.campaign("label-summaries", items=1)
    page = browser.new_page()  # Streamlit reports a page that is not there as an error, which is what is wanted here
    enter(page, shared_server, shared_server.code()[1])
    for path in OTHER_PAGES:
        page.goto(f"{shared_server.server.url}/{path}?campaign={campaign.id}")
        expect(page.get_by_text("Page not found")).to_be_visible(timeout=START_MS)
        idle(page)
        expect(page.get_by_test_id("stTopNavLink")).to_have_count(1)
        for theirs in ("New campaign", "Items done", "Export labels.csv", "Keep pair", "Import data", "New run"):
            expect(page.get_by_text(theirs, exact=True)).to_have_count(0)
    page.close()


def test_a_revoked_manager_gets_nothing_done_with_a_page_that_is_still_open(
    page: Page, shared_server: SharedServer
) -> None:
    person, code = shared_server.code(Role.MANAGER)
    sign_in(page, shared_server, code)
    page.goto(f"{shared_server.server.url}/campaigns")
    open_people(page)
    page.get_by_role("textbox", name="Name", exact=True).fill("Mallory")
    idle(page)
    with shared_server.store.writing() as session:
        [mine] = [row for row in load_invites(session) if row.person == person.name]
        revoke_invite(session, mine.id, "boss")
    page.get_by_role("button", name="Add and make a link").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=START_MS)
    assert shared_server.server.rows("SELECT id FROM person WHERE name = 'Mallory'") == []


@pytest.mark.slow
def test_somebody_revoked_has_nothing_scored_that_they_type_on_an_open_page(
    page: Page, shared_server: SharedServer
) -> None:
    received = b""

    def hear(message: str | bytes) -> None:
        nonlocal received
        received += message if isinstance(message, bytes) else b""

    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    person, code = shared_server.code(Role.RESEARCHER)
    sign_in(page, shared_server, code)
    bench = Bench(page, shared_server.server)
    bench.open()
    bench.write("A first text.")
    bench.shows("A first text.")
    assert b"first text" in received
    with shared_server.store.writing() as session:
        [mine] = [row for row in load_invites(session) if row.person == person.name]
        revoke_invite(session, mine.id, "boss")
    bench.write("A second text.")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=START_MS)
    assert b"second text" not in received


def test_a_wrong_code_is_refused_a_valid_one_taken_at_once_and_signing_out_forgets_the_browser(
    page: Page, shared_server: SharedServer
) -> None:
    person, code = shared_server.code()
    enter(page, shared_server, "guess")
    expect(page.get_by_role("alert")).to_contain_text("This code is not valid", timeout=START_MS)
    for one in ("another guess", code):
        page.get_by_label("Your code").fill(one)
        with page.expect_response("**/sign-in"):
            page.get_by_role("button", name="Sign in").click()
    press(page.get_by_text(f"{person.name}, annotator"))
    press(page.get_by_role("menuitem", name="Sign out"))
    page.wait_for_url(f"{shared_server.server.url}/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=START_MS)
    expect(page.get_by_text(person.name)).to_have_count(0)
    assert SESSION_COOKIE not in {cookie["name"] for cookie in page.context.cookies()}
    page.goto(f"{shared_server.server.url}/sign-out")
    page.get_by_label("Your code").fill(code)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Annotate")).to_be_visible(timeout=START_MS)
    page.goto(f"{shared_server.server.url}/sign-out")
    expect(page.get_by_role("heading", name="Annotate")).to_be_visible(timeout=START_MS)
    assert not page.evaluate("document.cookie").count(SESSION_COOKIE)


def test_the_address_of_a_page_leads_to_it_also_where_it_is_the_first_of_a_person(
    page: Page, shared_server: SharedServer
) -> None:
    opened = shared_server.campaign("label-pairs")
    enter(page, shared_server, shared_server.code()[1])
    page.goto(f"{shared_server.server.url}/annotate?campaign={opened.id}")
    page.wait_for_url(f"{shared_server.server.url}/?campaign={opened.id}")
    expect(page.get_by_role("heading", name="Annotate")).to_be_visible(timeout=START_MS)
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.slow
def test_the_link_of_another_person_asks_first(page: Page, shared_server: SharedServer) -> None:
    (first, code), (second, other) = shared_server.code(), shared_server.code()
    enter(page, shared_server, code)
    expect(page.get_by_text(f"{first.name}, annotator")).to_be_visible(timeout=START_MS)
    enter(page, shared_server, other)
    press(page.get_by_role("button", name=f"Stay signed in as {first.name}"))
    expect(page.get_by_text(f"{first.name}, annotator")).to_be_visible(timeout=START_MS)
    enter(page, shared_server, other)
    press(page.get_by_role("button", name=f"Sign in as {second.name}"))
    expect(page.get_by_text(f"{second.name}, annotator")).to_be_visible(timeout=START_MS)
    assert "invite" not in page.url


@pytest.mark.slow
@pytest.mark.parametrize("signed_in", [False, True])
def test_a_page_of_another_site_uploads_and_deletes_nothing(shared_server: SharedServer, signed_in: bool) -> None:
    with httpx2.Client(base_url=shared_server.server.url, follow_redirects=True) as browser:
        if signed_in:
            browser.get(f"/?invite={shared_server.code()[1]}", headers={"Accept": "text/html"})
            assert SESSION_COOKIE in browser.cookies
        for token in ("", "2|00000000|00000000000000000000000000000000|1700000000"):
            headers = {"Origin": "http://elsewhere.example", "X-Xsrftoken": token}
            for method in ("PUT", "DELETE"):
                answer = browser.request(
                    method, "/_stcore/upload_file/session/file", headers=headers, content=b"pairs" * (method == "PUT")
                )
                assert answer.status_code == 403, (method, token)
