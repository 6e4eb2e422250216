"""The line between a browser and the server, on which presses that follow one another can arrive at once.

A server that is busy reads what came meanwhile as one message: with the newest state of every widget, and each press.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Page, WebSocketRoute
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.e2e.waiting import START_MS

_TRIGGERS = {"trigger_value", "json_trigger_value"}


@dataclass
class Line:
    """Once `until` is the beginning of a button's key, nothing is told before that is pressed; then all at once."""

    page: Page
    until: str = ""
    _held: list[WidgetState] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def tell(sent: str | bytes) -> None:
            message = BackMsg.FromString(sent) if isinstance(sent, bytes) else BackMsg()
            if not self.until or message.WhichOneof("type") != "rerun_script":
                server.send(sent)
                return
            states = message.rerun_script.widget_states.widgets
            triggers = [state for state in states if state.WhichOneof("value") in _TRIGGERS]
            if not any(f"-{self.until}" in state.id for state in triggers):
                self._held.extend(triggers)
                return
            states.extend(self._held)  # as the server itself puts them together: the newest first
            self.until = ""
            server.send(message.SerializeToString())

        route.on_message(tell)


@dataclass
class SlowLine:
    """A line to a server that is behind: what it draws can arrive late, and so can what the page sends."""

    page: Page
    _drawn: list[str | bytes] | None = None
    _sent: list[str | bytes] | None = None
    _ends: list[tuple[WebSocketRoute, WebSocketRoute]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.route_web_socket("**/_stcore/stream", self._connect)

    @contextmanager
    def drawing_late(self) -> Iterator[None]:
        """What the server draws reaches the page at the end of the block, once the server has ended a run."""
        self._drawn = []
        yield
        self._wait(lambda: any(map(_ends_run, self._drawn or ())))
        late, self._drawn = self._drawn, None
        for drawn in late:
            self._ends[-1][0].send(drawn)

    def answered(self) -> None:
        """Wait, while it draws late, until the server has heard what was pressed."""
        self._wait(lambda: bool(self._drawn))

    def _wait(self, state: Callable[[], bool]) -> None:
        until = time.monotonic() + START_MS / 1000
        while not state():
            assert time.monotonic() < until, "The server did not answer."
            self.page.wait_for_timeout(20)

    @contextmanager
    def sending_late(self) -> Iterator[None]:
        """What the page sends reaches the server at the end of the block, as one message: the newest state of every widget."""
        self._sent = []
        yield
        self.page.evaluate("() => new Promise(resolve => setTimeout(resolve))")  # the last press is on its way
        *_, newest = self._sent
        self._sent = None
        self._ends[-1][1].send(newest)

    def _connect(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        self._ends.append((route, server))
        server.on_message(lambda drawn: route.send(drawn) if self._drawn is None else self._drawn.append(drawn))
        route.on_message(lambda sent: server.send(sent) if self._sent is None else self._sent.append(sent))


def _ends_run(drawn: str | bytes) -> bool:
    return isinstance(drawn, bytes) and ForwardMsg.FromString(drawn).WhichOneof("type") == "script_finished"
