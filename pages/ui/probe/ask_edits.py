"""Asking a language model for edits of the summary on the bench: who, in which form, and waiting for the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from core.editing.asked import Asked
from core.editing.editor import Editor
from core.editing.proposal import WANTED, Form
from core.llm.endpoint import Endpoint
from core.types import Example
from pages.ui import services
from pages.ui.answering import answering, endpoint_and_model
from pages.ui.endpoint_costs import price_line
from pages.ui.probe import pair as bench
from pages.ui.probe.edits_proposed import proposed

_LOOK_S = 0.3
_FORMS = {Form.EXECUTABLE: "Replacements", Form.REWRITTEN: "Whole summaries"}


def ask_edits() -> None:
    """The form; one line where nobody can be asked."""
    with st.expander(f"Ask a language model for {WANTED} edits", key="ask-edits"):
        if found := answering():
            _form(found)


def edits_answer() -> None:
    """What came of the last press, where it was about the summary on the bench."""
    asked = current()
    st.session_state["edits-drawn"] = asked.came if asked else None  # before it is drawn: what comes meanwhile is new
    if not asked:
        return
    with st.container(border=True, key="edits-answer"):
        _heading(asked)
        proposed(asked)


def current() -> Asked | None:
    """What was asked last, where it was about the summary on the bench."""
    asked: Asked | None = st.session_state.get("asked-edits")
    return asked if asked and asked.example == _example() else None


def edits_came() -> bool:
    """Whether more of an answer has come than this run has drawn."""
    asked = current()
    return asked is not None and asked.came != st.session_state.get("edits-drawn")


def _form(found: Mapping[str, Endpoint]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        endpoint, _ = endpoint_and_model(found, "edits")
        st.segmented_control(
            "The model writes",
            list(_FORMS),
            default=Form.EXECUTABLE,
            key="edits-form",
            required=True,
            format_func=lambda form: _FORMS[form],
            help="Replacements are executed; whole summaries are compared with the original, as older benchmarks were made.",
        )
        st.button("Ask", key="edits-ask", icon=":material/send:", type="primary", on_click=_ask, args=(endpoint,))
    st.checkbox("Then ask it which of them are trivial", True, key="edits-judged")
    _price(_editor(endpoint))


def _price(editor: Editor) -> None:
    more = f"; then {WANTED} short ones at most" if st.session_state["edits-judged"] else ""
    price_line([editor.proposing(_example())], more)


def _ask(endpoint: str) -> None:
    """Another press about the same summary is another draw."""
    state, last = st.session_state, st.session_state.get("asked-edits")
    if last:
        last.drop()
    # read here: what was typed and not yet sent when the button was drawn has come with the press
    editor, example = _editor(state.get("edits-endpoint", endpoint)), _example()
    state["edits-draws"] = {**_draws(), (example, replace(editor, sample=0)): editor.sample + 1}
    state["asked-edits"] = Asked(services.engine(), editor, example, state["edits-judged"])


def _editor(endpoint: str) -> Editor:
    """The editor of the next press."""
    state = st.session_state
    editor = Editor(state["edits-form"], state["edits-model"].strip(), endpoint)
    return replace(editor, sample=_draws().get((_example(), editor), 0))


def _draws() -> dict[tuple[Example, Editor], int]:
    """How often an editor was asked about a summary."""
    draws: dict[tuple[Example, Editor], int] = st.session_state.get("edits-draws", {})
    return draws


def _example() -> Example:
    return Example("edits", bench.current().document, bench.current().original)


def _heading(asked: Asked) -> None:
    running = asked.running
    with st.container(horizontal=True, vertical_alignment="center"):
        if running:
            _wait(asked)
        else:
            st.markdown("**Edits of the original summary, proposed by a language model**", width="content")
        st.space("stretch")
        # not in the fragment: what is pressed there reruns only the fragment
        label, icon = ("Cancel", ":material/stop:") if running else ("Close", ":material/close:")
        st.button(label, key="edits-drop", icon=icon, on_click=_drop)


@st.fragment(run_every=_LOOK_S)
def _wait(asked: Asked) -> None:
    """Look for news beside the page; while scores arrive the page's own loop looks."""
    if edits_came():
        st.rerun()
    st.markdown("Edits are being written …" if asked.outcome is None else "Asking which of them are trivial …")


def _drop() -> None:
    asked: Asked = st.session_state.pop("asked-edits")
    asked.drop()
