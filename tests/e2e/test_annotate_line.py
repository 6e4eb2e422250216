"""The price of a label on a slow line: bytes between server and browser for each item."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.shared_server import AnnotatePage, SharedServer
from tests.e2e.waiting import START_MS

pytestmark = pytest.mark.e2e

MOST_BYTES, MOST_BYTES_OF_VISIT = 6_000, 80_000


class CountingLine:
    """A port that hands everything on to the server, and counts the bytes that come back."""

    def __init__(self, port: int) -> None:
        self.bytes = Counter[str]()
        self._sockets: list[socket.socket] = []
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def _start(self, work: Callable[..., None], *values: object) -> None:
        thread = threading.Thread(target=work, args=values, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target)
                self._sockets += near, far
                for source, target, name in ((near, far, "sent"), (far, near, "received")):
                    self._start(self._copy, source, target, name)

    def _copy(self, source: socket.socket, target: socket.socket, name: str) -> None:
        with suppress(OSError):
            while chunk := source.recv(65_536):
                self.bytes[name] += len(chunk)
                target.sendall(chunk)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for opened in (self._listener, *self._sockets):
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for opened in (self._listener, *self._sockets):
            opened.close()


@contextmanager
def counting_line(url: str) -> Iterator[CountingLine]:
    line = CountingLine(urlsplit(url).port or 80)
    yield line
    line.close()


def test_an_item_takes_few_bytes(page: Page, shared_server: SharedServer) -> None:
    campaign, (_, code) = shared_server.campaign("label-summaries", items=8), shared_server.code()
    with counting_line(shared_server.server.url) as line:
        page.goto(f"http://127.0.0.1:{line.port}/?invite={code}&campaign={campaign.id}")
        annotate_page = AnnotatePage(page, shared_server)
        annotate_page.start()
        annotate_page.at("Item 1", START_MS)
        label(annotate_page, 1)
        before = line.bytes["received"]
        for number in range(2, 6):
            label(annotate_page, number)
        expect(page.get_by_text("5 answered by you")).to_be_visible()
        spent = (line.bytes["received"] - before) / 4
    assert spent <= MOST_BYTES


def label(annotate_page: AnnotatePage, number: int) -> None:
    annotate_page.keys("1", "4", "Enter")
    annotate_page.at(f"Item {number + 1}")
    expect(annotate_page.page.get_by_text(f"{number} answered by you")).to_be_visible()


def test_another_visit_takes_few_bytes_to_its_first_item(page: Page, shared_server: SharedServer) -> None:
    campaign, (_, code) = shared_server.campaign("label-summaries"), shared_server.code()
    with counting_line(shared_server.server.url) as line:
        url = f"http://127.0.0.1:{line.port}"
        page.goto(f"{url}/?invite={code}&campaign={campaign.id}")
        annotate_page = AnnotatePage(page, shared_server)
        annotate_page.start()
        before = line.bytes["received"]
        page.goto(f"{url}/annotate?campaign={campaign.id}")
        annotate_page.start()
        annotate_page.at("Item 1", START_MS)
        spent = line.bytes["received"] - before
        page.goto("about:blank")  # one that lost its server says so
    assert spent <= MOST_BYTES_OF_VISIT
