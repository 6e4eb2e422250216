"""Edits of a language model on Probe: proposed, checked, applied, kept; told what is wrong; nobody else waits for them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.bench import Bench, example
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, enter, press
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

pytestmark = pytest.mark.e2e

SUMMARY = example().example.summary
DENIED = SUMMARY.replace("Tuesday", "no other day than Tuesday")
HOSTILE = '<img src=x onerror="alert(1)"> **bold** ![p](http://127.0.0.1:9/p.png)'


def edit(old: str, new: str, why: str = "The document says that it struck the quay.") -> dict[str, str]:
    return {"original_text": old, "replace_text": new, "explanation": why}


EDITS = [
    edit("struck", "narrowly missed"),
    edit("Tuesday", "Friday"),
    edit("tug", "rowing boat"),
    edit("the mayor", "the captain", HOSTILE),
    edit("nobody was injured", "the cook was injured", HOSTILE),
]


class Model:
    """What the endpoint says; a test may put another answer in, or hold it back."""

    def __init__(self) -> None:
        self.propose: Callable[[], Reply] = lambda: text(json.dumps({"edits": EDITS}))
        self.free = threading.Event()
        self.free.set()

    def __call__(self, _path: str, body: Body) -> Reply:
        user = body["messages"][1]["content"]
        if "Of what kind is the change?" in user:
            kind = "date" if "Friday" in user else "other"
            return text(json.dumps({"kind": kind, "because": "So it is."}))
        self.free.wait(START_MS / 1000)
        if "negations that leave its meaning" in user:
            return text(DENIED)
        if "edited_summary" in user:
            whole = SUMMARY.replace("struck", "narrowly missed")
            return text(json.dumps({"summaries": [{"edited_summary": whole, "explanation": "It struck."}] * 2}))
        return self.propose()

    @contextmanager
    def held(self) -> Iterator[None]:
        self.free.clear()
        try:
            yield
        finally:
            self.free.set()


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.fixture(scope="module")
def asking_server(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Touchstone with an endpoint on loopback that says what the model of the test says."""
    settings = {"TOUCHSTONE_LLM_MODEL": "tiny", "TOUCHSTONE_PROMPTS_DIR": ""}
    with (
        serving(model) as endpoint,
        serve(tmp_path_factory.mktemp("asking"), TOUCHSTONE_LLM_BASE_URL=endpoint.url, **settings) as server,
    ):
        yield server


def opened(page: Page, server: Server) -> Bench:
    """Probe with the form unfolded; the model is named as the test is, so that no answer is remembered from another."""
    bench = Bench(page, server)
    bench.open()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    return bench


def form(page: Page) -> Locator:
    return page.locator(".st-key-ask-edits")


def ask(bench: Bench, named: str) -> None:
    enter(form(bench.page).get_by_role("textbox", name="Model"), named)
    press(form(bench.page).get_by_role("button", name="Ask", exact=True))


@pytest.mark.slow
def test_proposals_are_shown_with_their_checks_applied_and_kept(page: Page, asking_server: Server) -> None:
    bench = opened(page, asking_server)
    ask(bench, "first")
    expect(page.get_by_text("3 of 5 can be used. The model proposed 5 edits where 6 were asked for.")).to_be_visible()
    one, two, three, four, five = (page.locator(f".st-key-proposed-{number}") for number in range(1, 6))
    expect(one.locator("ins")).to_contain_text("narrowly missed")
    expect(one).to_contain_text("rule: not trivial")
    expect(two).to_contain_text("rule: date")
    expect(two).to_contain_text("model: date")
    expect(one).to_contain_text("model: not trivial")
    expect(three).to_contain_text("'tug' occurs 2 times")
    expect(four).to_contain_text("'the mayor' is not a substring of the summary")
    expect(five).to_contain_text(HOSTILE)
    expect(five.locator("img")).to_have_count(0)

    one.get_by_role("button", name="Apply").click()
    bench.shows(SUMMARY.replace("struck", "narrowly missed"))
    expect(page.get_by_role("button", name="Revert")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Explanation").first).to_have_value(EDITS[0]["explanation"])

    five.get_by_role("button", name="Keep as pair").click()
    bench.message("Kept as")
    [kept] = asking_server.rows("SELECT * FROM edit")
    assert kept["replace_text"] == "the cook was injured"
    assert kept["by"].startswith("edits-executable|model:first|temperature:0.7|")
    assert "|prompt:executable-edits@1#" in kept["by"]
    assert asking_server.rows("SELECT intended FROM origin")[0]["intended"] == "inconsistent"


@pytest.mark.slow
def test_an_answer_that_cannot_be_read_is_shown_as_it_came_and_whole_summaries_become_edits_too(
    page: Page, asking_server: Server, model: Model
) -> None:
    bench = opened(page, asking_server)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "propose", lambda: text(None, refused=f"I will not. {HOSTILE}"))
        ask(bench, "third")
        bench.message(f"The model refused. The model said: “I will not. {HOSTILE}”")
    ask(bench, "third")
    expect(page.get_by_text("3 of 5 can be used")).to_be_visible()

    press(page.get_by_role("radio", name="Whole summaries"))
    ask(bench, "second")
    expect(page.locator(".st-key-proposed-1 del")).to_contain_text("struck")
    expect(page.locator(".st-key-proposed-2")).to_contain_text("It makes the same summary as number 1.")


@pytest.mark.slow
def test_nobody_waits_for_a_silent_model_nor_is_shown_an_answer_that_was_cancelled(
    new_page: Callable[[], Page], asking_server: Server, model: Model
) -> None:
    waiting, other = opened(new_page(), asking_server), Bench(new_page(), asking_server)
    with model.held():
        ask(waiting, "fourth")
        expect(waiting.page.get_by_text("Edits are being written")).to_be_visible()
        for bench in (waiting, other):
            if bench is other:
                bench.open()
            bench.write(f"{SUMMARY} It rained.")
            bench.settled(example().example.document, f"{SUMMARY} It rained.")
        expect(waiting.page.get_by_text("Edits are being written")).to_be_visible()
    expect(waiting.page.get_by_text("3 of 5 can be used")).to_be_visible()

    with model.held():
        ask(waiting, "fifth")
        waiting.page.get_by_role("button", name="Cancel").click()
        expect(waiting.page.get_by_text("Edits are being written")).to_have_count(0)
    ask(waiting, "sixth")
    expect(waiting.page.get_by_text("edits-executable|model:sixth|")).to_be_visible()


@pytest.mark.slow
def test_a_variant_is_written_beside_the_page_until_it_comes_or_is_cancelled(
    page: Page, asking_server: Server, model: Model
) -> None:
    bench = Bench(page, asking_server)
    bench.open()
    bench.box.evaluate("box => { box.before = true }")
    with model.held():
        bench.variant("Negate twice (LLM)")
        expect(page.get_by_text("the model is writing …")).to_be_visible()
        assert bench.box.evaluate("box => box.before"), (
            "the line above drew the editor again: typed words would be lost"
        )
        bench.write(f"{SUMMARY} It rained.")
        bench.shows(f"{SUMMARY} It rained.")
        press = page.get_by_role("button", name="Cancel")
        press.click()
        expect(press).to_have_count(0)
        bench.press("Undo")
        bench.shows(SUMMARY)
    bench.variant("Negate twice (LLM)")
    bench.shows(DENIED)
