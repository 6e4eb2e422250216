"""The line between a browser and the server, on which presses that follow one another can arrive at once.

A server that is busy reads what came meanwhile as one message: with the newest state of every widget, and each press.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import Page, WebSocketRoute
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

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
