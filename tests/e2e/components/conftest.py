"""Each component alone in a small app, in a real browser; skipped where there is no Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.error import URLError

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")

Open = Callable[[str], Page]


@pytest.fixture(scope="session")
def component_browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("No Chromium on this machine: install chromium or set CHROMIUM to its path.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def component_server() -> Iterator[Callable[[str], str]]:
    """Address of a running app of this folder, started on first demand."""
    with ExitStack() as running:
        addresses: dict[str, str] = {}

        def address(app: str) -> str:
            if app not in addresses:
                addresses[app] = running.enter_context(_serve(app))
            return addresses[app]

        yield address


@pytest.fixture
def open_app(component_browser: Browser, component_server: Callable[[str], str]) -> Iterator[Open]:
    """Open an app in a fresh browser context; an error in the page fails the test."""
    context = component_browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(10_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))

    def open_page(app: str) -> Page:
        page.goto(component_server(app))
        page.locator(".root").first.wait_for()
        return page

    yield open_page
    context.close()
    assert not problems


@contextmanager
def _serve(app: str) -> Iterator[str]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(HERE / app), f"--server.port={port}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*command, "--server.headless=true"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    ) as server:
        url = f"http://127.0.0.1:{port}"
        _wait(url, server)
        yield url
        server.terminate()


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    while server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5):
                return
        except (URLError, ConnectionError):
            continue
    raise RuntimeError("The app of the test did not start.")
