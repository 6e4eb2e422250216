"""A link to an example that the same person edited before offers that edit."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from core.data.datasets.bundled import bundled_items
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.text_panes import EditorState
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

FIRST = bundled_items()[0].example
EDITED = FIRST.summary.replace("Tuesday", "Friday")


def offers(app: AppTest) -> list[str]:
    assert not app.exception
    return [button.key for button in app.button if button.key in ("resume-draft", "dismiss-draft")]


def edit(app: AppTest) -> None:
    """Reword the summary by the page's own history, which keeps a draft."""
    state_of(app, EditorState, EDITOR_KEY).text = EDITED
    app.button(key="keep").click().run()  # any press that is about the pair notes what was typed


def test_the_edit_of_before_is_offered_and_resumed(probe: Open) -> None:
    edit(probe(example=FIRST.id))
    again = probe(example=FIRST.id)
    assert offers(again) == ["resume-draft", "dismiss-draft"]
    again.button(key="resume-draft").click().run()
    assert state_of(again, EditorState, EDITOR_KEY).text == EDITED
    assert offers(again) == []


def test_an_offer_can_be_dismissed(probe: Open) -> None:
    edit(probe(example=FIRST.id))
    again = probe(example=FIRST.id)
    again.button(key="dismiss-draft").click().run()
    assert offers(again) == []


def test_nothing_is_offered_without_a_link_or_of_another_example(probe: Open) -> None:
    edit(probe(example=FIRST.id))
    assert offers(probe(draft="of nobody")) == []
    other = next(item for item in bundled_items() if item.example.document != FIRST.document)
    assert offers(probe(example=other.example.id)) == []
