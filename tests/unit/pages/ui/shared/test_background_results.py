"""What a page shows while long work is under way in another thread."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.models.llm.client import pacing
from pages.ui.shared import background_results
from pages.ui.shared.background_results import RedrawState, polled

WAIT_S = 30.0


def page() -> None:
    import threading
    from collections.abc import Iterator

    import streamlit as st

    from pages.ui.shared.background_results import background_results

    gate = st.session_state["gate"]
    assert isinstance(gate, threading.Semaphore)

    def work() -> Iterator[int]:
        for number in range(4):
            gate.acquire(timeout=30)
            yield number

    found = background_results("Counting…", ("counting", id(gate)), work, 4, "<p>four numbers</p>")
    st.write(f"found {found}")


def test_a_series_of_results_has_a_bar_from_one_second_on() -> None:
    gate = threading.Semaphore(2)
    app = AppTest.from_function(page)
    app.session_state["gate"] = gate
    app.run()
    assert [caption.value for caption in app.caption] == [":material/hourglass_empty: Counting…"]
    assert not app.get("progress")
    assert [shape.proto.body for shape in app.get("html")] == ["<p>four numbers</p>"]
    task = background_results._start(("counting", id(gate)), list, 4)
    while task.progress.done < 2 or task.elapsed_s < background_results._BAR_FROM_S:
        assert task.elapsed_s < WAIT_S
        threading.Event().wait(0.05)
    app.run()
    [bar] = app.get("progress")
    assert (bar.proto.value, bar.proto.text) == (50, "Counting… 2 of 4")
    gate.release(2)
    assert task.wait(WAIT_S)
    app.run()
    assert app.markdown[-1].value == "found [0, 1, 2, 3]"
    assert not app.get("html")


def test_work_that_waits_for_an_endpoint_says_for_what_and_until_when() -> None:
    gate, pace = threading.Semaphore(0), pacing.Pace(4, 60.0, "mini")
    sent = pace.begin(lambda: None)
    assert pace.refused(sent, 30.0, "it says “Loading *model*”", per_minute=False, is_rate=False)
    app = AppTest.from_function(page)
    app.session_state["gate"] = gate
    app.run()
    said = r":material/hourglass_top: Waiting for the endpoint mini: it says “Loading .model.”; next try at [\d:]{8}, waited for until"
    assert "\\*model\\*" in app.caption[-1].value  # as it was sent, and not in italics
    assert re.match(said, app.caption[-1].value.replace("\\", ""))
    pace.end()
    gate.release(4)
    app.run()
    assert not any("Waiting for" in caption.value for caption in app.caption)


def test_a_page_that_is_held_is_not_drawn_again_for_what_arrives() -> None:
    def page(held: bool) -> None:
        import streamlit as st

        from pages.ui.shared.background_results import RedrawState, redraw
        from pages.ui.shared.session_state import page_state

        page_state(RedrawState).held = held
        st.session_state["runs"] = st.session_state.get("runs", 0) + 1
        if st.session_state["runs"] == 1:
            redraw()

    runs = {held: AppTest.from_function(page, args=(held,)).run().session_state["runs"] for held in (False, True)}
    assert runs == {False: 2, True: 1}


@pytest.mark.parametrize(("held", "every_s"), [(False, 2.0), (True, None)])
def test_a_fragment_asks_for_no_turn_of_its_own_while_redraws_are_held(
    monkeypatch: pytest.MonkeyPatch, held: bool, every_s: float | None
) -> None:
    turns: list[float | None] = []

    def fragment(*, run_every: float | None) -> Callable[[Callable[[str], None]], Callable[[str], None]]:
        turns.append(run_every)
        return lambda look: look

    drawn: list[str] = []
    monkeypatch.setattr(st, "fragment", fragment)
    monkeypatch.setattr(background_results, "page_state", lambda _: RedrawState(held))
    polled(2.0)(drawn.append)("once")
    assert (turns, drawn) == ([every_s], ["once"])
