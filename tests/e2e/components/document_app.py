"""An app with nothing but the document pane, for the browser tests."""

import streamlit as st

from core.types import Span
from pages.ui.probe.text_panes import Highlight, document_view

SENTENCE = "The council met on Monday and approved twelve plans for the harbour. "
HOSTILE = "<script>window.__xss=1</script><img src=x onerror='window.__xss=1'> 😀 "

state = st.session_state
state.setdefault("marks", [])
state.setdefault("text", HOSTILE + SENTENCE * 60)


def mark(*highlights: Highlight) -> None:
    state.marks = list(highlights)


def long() -> None:
    state.text = SENTENCE * 18_000
    state.marks = [Highlight(Span(i * 5_000, i * 5_000 + 5_000), "piece", f"chunk {i + 1} of 240") for i in range(240)]


far = state.text.rindex("twelve plans")
near = len(HOSTILE)
with st.container(horizontal=True):
    st.button("Mark far", on_click=mark, args=[Highlight(Span(far, far + 12), "evidence", "evidence")])
    st.button("Mark near", on_click=mark, args=[Highlight(Span(near, near + 11), "evidence", "evidence")])
    st.button("Cut", on_click=mark, args=[Highlight(Span(900, 5_000), "unread", "not read from here")])
    st.button("Long", on_click=long)
    st.button("Rerun")
document_view(state.text, highlights=state.marks, key="doc", height=300)
