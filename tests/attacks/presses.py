"""Presses of a page's widgets, taken from the page of who may, and sent by somebody who may not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

_WAIT_S = 180
_TEXTS = ("text_input", "text_area", "selectbox", "chat_input", "date_input")
_NOT_THE_PAGE = (ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, ForwardMsg.FINISHED_EARLY_FOR_RERUN)
_MOVED = "Moved by Eve"


@dataclass(frozen=True, slots=True)
class Press:
    """A widget of a page by its id, with the kind of its element and the fragment that draws it."""

    page: str
    id: str
    kind: str
    fragment: str

    def state(self) -> WidgetState:
        """The message of a browser in which it is pressed or changed."""
        state = WidgetState(id=self.id)
        if self.kind in _TEXTS:
            state.string_value = _MOVED
        elif self.kind == "checkbox":
            state.bool_value = True
        elif self.kind in ("number_input", "slider"):
            state.double_array_value.data.append(1)
        elif self.kind in ("multiselect", "button_group"):
            state.string_array_value.data.append(_MOVED)
        elif self.kind in ("bidi_component", "component_instance"):
            state.json_value = "{}"
        else:
            state.trigger_value = True
        return state


@dataclass(frozen=True, slots=True)
class Drawn:
    """The drawing of a run of a page: its widgets, the kinds of its elements, and the texts of its exceptions."""

    presses: Sequence[Press]
    kinds: Counter[str]
    exceptions: Sequence[str]


class PageSocket:
    """The connection of an open page, over which runs are asked for."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def run(self, page: str, presses: Sequence[Press] = (), fragment: str = "", query: str = "") -> Drawn:
        """Ask for a run of a page, with these presses; what it drew.

        A run of a fragment that the session does not have is dropped without a word, so that one of the page follows it.
        """
        self._ask(page, presses, fragment, query)
        if fragment:
            self._ask(page, (), "", query)
        presses, kinds, exceptions = list[Press](), Counter[str](), list[str]()
        while True:
            content = self._socket.recv(timeout=_WAIT_S)
            assert isinstance(content, bytes)
            answer = ForwardMsg.FromString(content)
            match answer.WhichOneof("type"):
                case "delta" if answer.delta.WhichOneof("type") == "new_element":
                    element = answer.delta.new_element
                    kind = element.WhichOneof("type") or ""
                    kinds[kind] += 1
                    shown: Any = getattr(element, kind, None)
                    if kind == "exception":
                        exceptions.append(f"{shown.type}: {shown.message}")
                    elif str(getattr(shown, "id", "")).startswith("$$"):
                        presses.append(Press(page, shown.id, kind, answer.delta.fragment_id))
                case "script_finished" if answer.script_finished not in _NOT_THE_PAGE:
                    return Drawn(presses, kinds, exceptions)

    def _ask(self, page: str, presses: Sequence[Press], fragment: str, query: str) -> None:
        message = BackMsg()
        request = message.rerun_script
        request.page_name, request.fragment_id, request.query_string = page, fragment, query
        request.widget_states.widgets.extend(press.state() for press in presses)
        self._socket.send(message.SerializeToString())


@contextmanager
def page_socket(url: str, cookies: dict[str, str]) -> Iterator[PageSocket]:
    """Connect as a browser does that has these cookies."""
    with httpx2.Client(timeout=_WAIT_S) as http:
        http.get(f"{url}/_stcore/health")
        sent = "; ".join(f"{name}={value}" for name, value in {**dict(http.cookies), **cookies}.items())
    address = f"ws://{urlsplit(url).netloc}/_stcore/stream"
    with connect(
        address, additional_headers={"Cookie": sent}, max_size=None, open_timeout=_WAIT_S, ping_interval=None
    ) as socket:
        yield PageSocket(socket)
