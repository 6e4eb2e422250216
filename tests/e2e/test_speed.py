"""How fast the bench is with ten sessions open: measured inside the page, printed with -s, held against wide bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.e2e.bench import HARBOUR, Bench, example
from tests.e2e.server import Server
from tests.e2e.waiting import IDLE_SHARE, START_MS, busy_share, idle, quiet

pytestmark = pytest.mark.e2e

SESSIONS = 10
FIRST_SCORES_S = 1.0
SLOW_PAUSE_S = 0.25  # of 0.3 at most
USABLE_S = 3.0
FIRST_PAGE_BYTES = 1_000_000
_TRIES = 3

_FIRST_SCORES = """words => new Promise(resolve => {
const find = () => [...document.querySelectorAll('*')].map(node => node.shadowRoot).filter(Boolean);
const root = find().find(root => root.querySelector('tr[data-spec=rouge2]'));
const box = find().find(root => root.querySelector('.editor')).querySelector('textarea');
const row = root.querySelector('tr[data-spec=rouge2]');
const started = performance.now();
const look = () => {
    if (row.classList.contains('pending') || !root.querySelector('.sentences').textContent.includes(words)) return;
    seen.disconnect();
    resolve((performance.now() - started) / 1000);
};
const seen = new MutationObserver(look);
seen.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
box.value += ' ' + words;
box.dispatchEvent(new InputEvent('input', { bubbles: true }));
})"""

_PAUSE = """words => new Promise(resolve => {
const root = [...document.querySelectorAll('*')].map(node => node.shadowRoot).find(root => root?.querySelector('.editor'));
const box = root.querySelector('textarea'), status = root.querySelector('.status');
const started = performance.now();
const seen = new MutationObserver(() => {
    if (status.textContent !== 'scoring…') return;
    seen.disconnect();
    resolve((performance.now() - started) / 1000);
});
seen.observe(status, { childList: true, characterData: true, subtree: true });
box.value += ' ' + words;
box.dispatchEvent(new InputEvent('input', { bubbles: true }));
})"""

_FIRST_BOARD = """() => new Promise(resolve => {
const look = () => {
    for (const node of document.querySelectorAll('*'))
        if (node.shadowRoot?.querySelector('tr[data-spec=rouge2] .after .value')?.textContent) {
            resolve(performance.now() / 1000);
            return;
        }
    requestAnimationFrame(look);
};
look();
})"""


@pytest.fixture(scope="module")
def sessions(browser: Browser, server: Server) -> Iterator[list[Bench]]:
    """Ten people, each with Probe open."""
    with browser.new_context() as context:
        pages = [context.new_page() for _ in range(SESSIONS)]
        for page in pages:
            page.goto(f"{server.url}/?example={HARBOUR}", wait_until="commit")
        for page in pages:
            expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
        yield [Bench(page, server) for page in pages]


@pytest.mark.slow
def test_lexical_scores_of_a_new_text_come_within_a_second(sessions: list[Bench]) -> None:
    words = iter(("It rained.", "It snowed.", "It thundered."))
    bench = sessions[0]
    quiet(bench.server.pid)  # bands of noise are measured, and other pages imported, when ten people have come
    within(FIRST_SCORES_S, "keystroke to lexical scores", lambda: bench.page.evaluate(_FIRST_SCORES, next(words)))


@pytest.mark.slow
def test_the_next_word_of_who_types_slowly_is_not_waited_for(sessions: list[Bench]) -> None:
    words = iter(("It hailed.", "It dawned.", "It dusked.", "It thawed.", "It cleared.", "It froze."))
    page = sessions[1].page
    quiet(sessions[1].server.pid)

    def pause() -> float:
        page.evaluate(_PAUSE, next(words))
        page.wait_for_timeout(500)  # slower than the longest pause after which a text is sent, and of the same burst
        seconds: float = page.evaluate(_PAUSE, next(words))
        idle(page)
        return seconds

    within(SLOW_PAUSE_S, "key of a slow writer to the text being sent", pause)


def test_scores_of_a_key_are_shown_before_the_page_is_drawn_again(browser: Browser, server: Server) -> None:
    drawn: list[ForwardMsg] = []

    def keep(frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            drawn.append(ForwardMsg.FromString(frame))

    with browser.new_context() as context:
        page = context.new_page()
        page.on("websocket", lambda socket: socket.on("framereceived", keep))
        page.goto(f"{server.url}/?example={HARBOUR}")
        bench, summary = Bench(page, server), example().example.summary
        bench.shows(summary)
        expect(bench.score("rouge2")).to_be_visible()
        idle(page)
        drawn.clear()
        bench.write(f"{summary} It rained.")
        bench.settled(example().example.document, f"{summary} It rained.")
    deltas = [message for message in drawn if message.WhichOneof("type") == "delta"]
    with_words = next(place for place, message in enumerate(deltas) if b"It rained." in message.SerializeToString())
    assert all(message.delta.fragment_id for message in deltas[: with_words + 1])
    assert not all(message.delta.fragment_id for message in deltas)  # then the page


@pytest.mark.slow
def test_the_page_is_usable_within_three_seconds(sessions: list[Bench], new_page: Callable[[], Page]) -> None:
    assert len(sessions) == SESSIONS
    within(USABLE_S, "page opened to first board", lambda: first_board(new_page(), sessions[0].server))


@pytest.mark.slow
def test_a_server_with_ten_open_sessions_is_idle(sessions: list[Bench]) -> None:
    assert len(sessions) == SESSIONS
    sessions[-1].settled(example().example.document, example().example.summary)
    quiet(sessions[0].server.pid)
    within(IDLE_SHARE, "share of a core while idle", lambda: busy_share(sessions[0].server.pid))


def within(bar: float, what: str, measure: Callable[[], float]) -> None:
    """Measure up to three times, until it is within the bar: other work shares the machine."""
    figures: list[float] = []
    while len(figures) < _TRIES and (not figures or figures[-1] > bar):
        figures.append(measure())
    print(f"\n{what}: {', '.join(f'{figure:.3f}' for figure in figures)} (bar {bar})")  # noqa: T201
    assert figures[-1] <= bar


def first_board(page: Page, server: Server) -> float:
    page.goto(f"{server.url}/?example={HARBOUR}", wait_until="commit")
    seconds: float = page.evaluate(_FIRST_BOARD)
    return seconds


@pytest.mark.slow
def test_the_first_page_takes_at_most_a_megabyte_over_the_wire(browser: Browser, server: Server) -> None:
    with browser.new_context() as context:  # a profile that holds nothing yet
        page = context.new_page()
        sizes: list[float] = []
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.loadingFinished", lambda answer: sizes.append(answer["encodedDataLength"]))
        page.goto(server.url)
        expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
        page.wait_for_load_state("networkidle")
        print(f"\nfirst page: {sum(sizes) / 1e6:.2f} MB in {len(sizes)} requests")  # noqa: T201
        assert 0 < sum(sizes) <= FIRST_PAGE_BYTES
