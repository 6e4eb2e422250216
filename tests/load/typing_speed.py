"""From keystroke to lexical scores, and from page to board, in a real browser with several people on Probe.

`python -m tests.load.typing_speed [--sessions 1 --sessions 5 --sessions 10] [--keys 20] [--beside FOLDER]` prints the median and
the 95th percentile. With `--beside`, the checkout of another version, both take turns on the same machine: where it is
shared, only their ratio says something.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.conftest import CHROMIUM
from tests.e2e.server import ROOT, Server, serve
from tests.e2e.test_speed import _FIRST_BOARD, _FIRST_SCORES

_START_MS = 180_000
_WORDS = "It rained. It snowed. It thundered. It cleared. It froze".split(". ")

# every person types a word in the same moment; seconds until the row of ROUGE-2 has its score
_ARM = _FIRST_SCORES.replace("words => new Promise", "words => window.typed = new Promise")


@dataclass
class Version:
    """One checkout, its server and the people on it."""

    name: str
    server: Server
    people: list[Page]
    one: list[float] = field(default_factory=list)
    all: list[float] = field(default_factory=list)
    cold: float = 0.0
    boards: list[float] = field(default_factory=list)


def measure(browser: Browser, checkouts: Sequence[Path], sessions: int, keys: int) -> list[Version]:
    with ExitStack() as stack:
        versions = [stack.enter_context(_opened(browser, checkout, sessions)) for checkout in checkouts]
        for number in range(keys):
            for version in versions:
                words = f"{_WORDS[number % len(_WORDS)]} {number}."
                version.one.append(version.people[0].evaluate(_FIRST_SCORES, words))
                _settle(version)
                for page in version.people:
                    page.evaluate(f"words => {{ ({_ARM})(words); }}", f"All {words}")
                version.all += [page.evaluate("() => window.typed") for page in version.people]
                _settle(version)
        for _ in range(3):
            for version in versions:
                version.boards.append(_first_board(browser, version.server))
        return versions


@contextmanager
def _opened(browser: Browser, checkout: Path, sessions: int) -> Iterator[Version]:
    with TemporaryDirectory() as folder, serve(Path(folder), checkout / "app.py", root=checkout) as server:
        cold = _first_board(browser, server)
        people = [browser.new_context().new_page() for _ in range(sessions)]
        for page in people:
            page.goto(server.url, wait_until="commit")
        version = Version(str(checkout), server, people, cold=cold)
        _settle(version)
        yield version


def _settle(version: Version) -> None:
    """Wait until every page has all its scores and its script rests."""
    for page in version.people:
        page.locator("#settled").wait_for(state="attached", timeout=_START_MS)
        page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for(timeout=_START_MS)


def _first_board(browser: Browser, server: Server) -> float:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(_START_MS)
    page.goto(server.url, wait_until="commit")
    seconds: float = page.evaluate(_FIRST_BOARD)
    context.close()
    return seconds


def _percentiles(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    return f"{statistics.median(ordered):.2f} / {ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]:.2f}"


def _report(sessions: int, versions: Sequence[Version]) -> None:
    for version in versions:
        sys.stdout.write(
            f"{sessions:2} sessions  {version.name}\n"
            f"   keystroke to lexical scores, p50 / p95 s: one types {_percentiles(version.one)}, all at once "
            f"{_percentiles(version.all)}; page to board: cold {version.cold:.2f}, warm {_percentiles(version.boards)}\n"
        )
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, action="append", help="people on Probe; may be repeated")
    parser.add_argument("--keys", type=int, default=20, help="keystrokes of each kind")
    parser.add_argument("--beside", type=Path, help="the checkout of another version")
    chosen = parser.parse_args()
    checkouts = [chosen.beside.resolve()] if chosen.beside else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for sessions in chosen.sessions or [1, 5, 10]:
            _report(sessions, measure(browser, [*checkouts, ROOT], sessions, chosen.keys))


if __name__ == "__main__":
    main()
