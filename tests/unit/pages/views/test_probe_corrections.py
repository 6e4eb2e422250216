"""Corrections on Probe: offered where the metric scores them better, accepted into the editor and kept, or refused."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from annotations.store.store import Store
from core.types import Verdict

Open = Callable[..., AppTest]
DOCUMENT = "The freighter Lena ran aground off Brest on Monday. Nobody was hurt, the coast guard said."
WRONG, RIGHT = "The freighter Lena sank off Brest on Monday.", "The freighter Lena ran aground off Brest on Monday."
WAIT_S = 60


def opened(open_page: Open) -> AppTest:
    """The pair on the bench with the panel open and a correction offered."""
    app = open_page("probe")
    app.session_state["corrections"] = True  # unfolded
    app.run()
    app.text_area("pasted-document").set_value(DOCUMENT)
    app.text_area("pasted-summary").set_value(WRONG)
    app.button("open-pasted").click()
    until = time.monotonic() + WAIT_S
    while "correction-accept" not in {button.key for button in app.run().button}:
        assert time.monotonic() < until
        assert not app.exception
    return app


def test_an_accepted_correction_is_in_the_editor_and_kept_with_its_explanation(open_page: Open, store: Store) -> None:
    app = opened(open_page)
    app.button("correction-accept").click().run()
    assert not app.exception
    [row] = [row for row in store.saved() if row.kind == "pair"]
    stored = store.pair(row.item_id)
    assert stored
    assert (stored.pair.original, stored.pair.edited, stored.pair.intended) == (WRONG, RIGHT, Verdict.CONSISTENT)
    assert [edit.explanation for edit in stored.pair.edits] == ["The document says “ran aground”, not “sank”."]


def test_a_refused_correction_is_not_offered_again(open_page: Open, store: Store) -> None:
    app = opened(open_page)
    app.button("correction-refuse").click().run()
    assert not app.exception
    assert "The document says “ran aground”, not “sank”\\." not in [text.value for text in app.markdown]
    assert store.saved() == []
