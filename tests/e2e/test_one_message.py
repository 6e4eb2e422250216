"""A press that comes right after typing: a busy server reads both as one message, and acts on the newest words."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, WebSocketRoute
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.e2e.bench import Bench, example
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e

SUMMARY = example().example.summary


TRIGGERS = {"trigger_value", "json_trigger_value"}


def is_press(message: BackMsg) -> bool:
    return any(state.WhichOneof("value") == "trigger_value" for state in message.rerun_script.widget_states.widgets)


@dataclass
class Line:
    """What the browser tells the server; once `holding`, all of it comes with the next press, as to a busy server.

    Each message of the browser has the states of all widgets; of those before only the triggers have to be added.
    """

    holding: bool = False
    held: list[WidgetState] = field(default_factory=list)

    def connect(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def tell(sent: str | bytes) -> None:
            message = BackMsg.FromString(sent) if isinstance(sent, bytes) else BackMsg()
            if not self.holding or message.WhichOneof("type") != "rerun_script":
                server.send(sent)
                return
            states = message.rerun_script.widget_states.widgets
            if is_press(message):
                states.extend(self.held)
                self.holding = False
                server.send(message.SerializeToString())
                return
            self.held.extend(state for state in states if state.WhichOneof("value") in TRIGGERS)

        route.on_message(tell)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def bench(line: Line, page: Page, server: Server) -> Bench:
    page.route_web_socket("**/_stcore/stream", line.connect)
    opened = Bench(page, server)
    opened.open()
    return opened


def kept(server: Server, text: str) -> list[tuple[str, str, str]]:
    """Old words, new words and explanation of the edits that were kept with this summary."""
    query = """SELECT e.original_text, e.replace_text, e.explanation
               FROM edit e JOIN item i ON i.id = e.item_id WHERE i.text = ?"""
    return [(row[0], row[1], row[2]) for row in server.rows(query, text)]


def test_what_is_kept_is_what_was_typed(line: Line, bench: Bench) -> None:
    line.holding = True
    bench.write(f"{SUMMARY} Gulls circled.")
    bench.box.press("Alt+k")
    bench.message("Kept as")
    assert not line.holding
    assert kept(bench.server, f"{SUMMARY} Gulls circled.")


def test_an_explanation_is_kept_with_the_words_it_was_given_for(line: Line, bench: Bench) -> None:
    line.holding = True
    bench.replace("east", "west", "The document says east.")
    bench.box.press("Alt+k")
    bench.message("Kept as")
    assert not line.holding
    assert kept(bench.server, SUMMARY.replace("east", "west", 1)) == [("east", "west", "The document says east.")]


def test_an_explanation_that_is_still_being_typed_is_kept(line: Line, bench: Bench) -> None:
    tanker = SUMMARY.replace("freighter", "tanker", 1)
    bench.write(tanker)
    bench.shows(tanker)
    line.holding = True
    why = bench.page.get_by_placeholder("Why is the edited summary").first
    why.press_sequentially("It is a freighter.")
    why.press("Alt+k")
    bench.message("Kept as")
    assert not line.holding
    assert kept(bench.server, tanker) == [("freighter", "tanker", "It is a freighter.")]


def test_undo_takes_back_what_was_typed_and_no_more(line: Line, bench: Bench) -> None:
    bench.write(f"{SUMMARY} Gulls circled.")
    bench.shows(f"{SUMMARY} Gulls circled.")
    line.holding = True
    bench.write(f"{SUMMARY} Gulls circled. Rain fell.")
    bench.press("Undo")
    bench.shows(f"{SUMMARY} Gulls circled.")
    assert not line.holding
    bench.press("Redo")
    bench.shows(f"{SUMMARY} Gulls circled. Rain fell.")


def test_reset_can_be_taken_back_to_what_was_typed(line: Line, bench: Bench) -> None:
    bench.write(f"{SUMMARY} Gulls circled.")
    bench.shows(f"{SUMMARY} Gulls circled.")
    line.holding = True
    bench.write(f"{SUMMARY} Rain fell.")
    bench.press("Reset")
    bench.shows(SUMMARY)
    assert not line.holding
    bench.press("Undo")
    bench.shows(f"{SUMMARY} Rain fell.")
