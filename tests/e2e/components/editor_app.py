"""An app with nothing but the summary editor, for the browser tests."""

import streamlit as st

from pages.ui.probe.text_panes import editor_replacement, editor_state, set_editor_text, summary_editor

state = st.session_state
state.setdefault("log", [])
if not editor_state("ed").doc_rev:
    set_editor_text("ed", "The 😀 council approved 12 plans on Monday.")


def on_change() -> None:
    made = editor_replacement("ed")
    replaced = made and f"replace {made.span.start}-{made.span.end} {made.old!r} -> {made.new!r} ({made.explanation})"
    state.log.append(replaced or "text")
    st.rerun("echo")


def age() -> None:
    editor_state("ed").doc_rev += 1


@st.fragment(key="echo")
def echo() -> None:
    st.button("Age the box", on_click=age)
    with st.container(key="echo"):
        st.text(editor_state("ed").text)
    with st.container(key="log"):
        st.text("\n".join(state.log))


st.button(
    "Swap digits", key="swap", on_click=lambda: set_editor_text("ed", editor_state("ed").text.replace("12", "21"))
)
st.button("Rerun", key="rerun")
summary_editor(key="ed", on_change=on_change, height=260)
echo()
