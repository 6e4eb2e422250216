"""Each component alone in a small app, in the browser that all browser tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.server import serve

HERE = Path(__file__).parent

Open = Callable[[str], Page]


@pytest.fixture(scope="session")
def component_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Address of a running app of this folder, started on first demand."""
    with ExitStack() as running:
        addresses: dict[str, str] = {}

        def address(app: str) -> str:
            if app not in addresses:
                addresses[app] = running.enter_context(serve(tmp_path_factory.mktemp("app"), HERE / app)).url
            return addresses[app]

        yield address


@pytest.fixture
def open_app(new_page: Callable[[], Page], component_server: Callable[[str], str]) -> Open:
    """Open an app in a fresh browser context; an error in the page fails the test."""

    def open_page(app: str) -> Page:
        page = new_page()
        page.goto(component_server(app))
        page.locator(".root").first.wait_for()
        return page

    return open_page
