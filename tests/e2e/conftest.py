"""Real servers and one real browser, shared by every browser test.

Skipped where there is no Chromium, except on CI, where its absence is a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.bench import Bench
from tests.e2e.profile import Profile
from tests.e2e.server import Server, serve
from tests.e2e.shared_server import SharedServer, opened
from tests.e2e.waiting import WATCH_RERUNS
from tests.e2e.watch import watched

_PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")  # the first draws no window, which costs half
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _PROGRAMS)), None)
PLUGINS = Path(__file__).parent / "plugins"
PATIENCE_MS = 60_000  # the slowest machine that the tests run on; what is there is seen at once
expect.set_options(timeout=PATIENCE_MS)

# frames in a sandbox, and pages that are no page of a server, have no storage
_DISMISS_MARKS = "if (self === top && location.protocol.startsWith('http')) localStorage.setItem('touchstone-coach-marks', 'dismissed')"
_FLAGS = ["--no-sandbox", "--process-per-site"]  # pages of a profile share what is compiled
_SHOWN_CHARACTERS = 6_000
_MISSING = "No Chromium on this machine: install chromium or set CHROMIUM to its path."


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails says what its page showed: on a machine of others there is nothing else to look at."""
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if report.when == "call" and report.failed and isinstance(page, Page) and not page.is_closed():
        report.sections.append(("What the page showed", page.inner_text("body")[:_SHOWN_CHARACTERS]))
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None and os.environ.get("CI") == "true":
        pytest.fail(_MISSING)
    if CHROMIUM is None:
        pytest.skip(_MISSING)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Touchstone as it is, with an empty database of its own."""
    with serve(tmp_path_factory.mktemp("bench")) as running:
        yield running


@pytest.fixture(scope="session")
def plugged_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Touchstone with the metrics and adapters in `plugins`, little memory, and a hub that refuses connections."""
    narrow = {"TOUCHSTONE_MEMORY": "0.5GB", "TOUCHSTONE_LLM_BASE_URL": ""}
    with serve(tmp_path_factory.mktemp("plugged"), plugins=PLUGINS, **narrow) as running:
        yield running


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    """Touchstone for people who sign in and label."""
    with opened(tmp_path_factory.mktemp("shared_server")) as running:
        yield running


def open_profile(browser: Browser) -> BrowserContext:
    """A fresh browser profile."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(_DISMISS_MARKS)
    context.add_init_script(WATCH_RERUNS)
    return context


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[[], BrowserContext]]:
    """Fresh browser profiles, for tests that change a profile; an error in any of their pages fails the test."""
    with ExitStack() as open_contexts:

        def new() -> BrowserContext:
            context = open_profile(browser)
            open_contexts.callback(context.close)
            open_contexts.enter_context(watched(context))
            return context

        yield new


@pytest.fixture(scope="session")
def free_profiles(browser: Browser) -> Iterator[list[Profile]]:  # noqa: ARG001  # it closes after its profiles
    """Empty profiles that no test has in hand."""
    profiles: list[Profile] = []
    yield profiles
    for profile in profiles:
        profile.context.close()


@pytest.fixture
def new_page(browser: Browser, free_profiles: list[Profile]) -> Iterator[Callable[[], Page]]:
    """A page in an empty profile, on every call; an error in any of its pages fails the test."""
    with ExitStack() as lent:

        def new() -> Page:
            profile = free_profiles.pop() if free_profiles else Profile(open_profile(browser))
            lent.callback(free_profiles.append, profile)
            lent.callback(profile.empty)
            lent.enter_context(watched(profile.context))
            return profile.window

        yield new


@pytest.fixture
def page(new_page: Callable[[], Page]) -> Page:
    return new_page()


@pytest.fixture
def own_page(page: Page) -> Page:
    """A page that is closed after the test, which may change what reaches it."""
    return page.context.new_page()


@pytest.fixture
def bench(page: Page, server: Server) -> Bench:
    """Probe with the first example, scored."""
    opened = Bench(page, server)
    opened.open()
    return opened
