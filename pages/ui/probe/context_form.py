"""The contexts of the document on the bench and the question that its summary answers, added and removed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.text import NamedText, join_contexts, named_texts, with_distinct_names
from pages.ui.probe.pair import current_pair, keep_draft
from pages.ui.probe.probe_state import LoadedPair, ProbeState, probe_state
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message

_SHOWN_CHARACTERS = 60


def context_form() -> None:
    """Form for the contexts of the document on the bench, another context, and the question."""
    state, pair = probe_state(), current_pair()
    if state.question_of != pair:
        state.question_of = pair
        ProbeState.question.follow(pair.question)
    st.caption(
        "Passages, turns or articles that make the document. Each metric says on its card whether it reads them joined or "
        "takes the best one."
    )
    for place, text in enumerate(named_texts(pair)):
        shown = text.text if len(text.text) <= _SHOWN_CHARACTERS else f"{text.text[:_SHOWN_CHARACTERS].rstrip()} …"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escape_markdown(text.name)}** {escape_markdown(shown)}", width="stretch")
            if len(current_pair().contexts) > 1:
                st.button(
                    escape_label(f"Remove {text.name}"),
                    key=f"remove-context-{place}",
                    type="tertiary",
                    on_click=_remove_context,
                    args=(place,),
                )
    st.text_input("Name of the context", "", key=ProbeState.context_name.key, placeholder="Passage 2")
    st.text_area(
        "Text of the context",
        "",
        key=ProbeState.context_text.key,
        height=110,
        placeholder="Paste the text of a context.",
    )
    st.button("Add the context", key="add-context", type="primary", on_click=_add_context)
    if state.context_error:
        st.error(escape_message(state.context_error), icon=":material/error:")
    st.text_input(
        "Question that the summary answers",
        pair.question,
        key=ProbeState.question.key,
        on_change=lambda: _replace_source(replace(current_pair(), question=probe_state().question.strip())),
        placeholder="Where it answers one",
    )


def _add_context() -> None:
    """Put a context after those that are there; a document without any is the first one then."""
    state, pair = probe_state(), current_pair()
    state.context_error = "" if state.context_text.strip() else "The text is empty. Paste it first."
    if state.context_error:
        return
    before = named_texts(pair) or [NamedText("context 1", pair.document)]
    name = state.context_name.strip() or f"context {len(before) + 1}"
    _open_contexts(pair, [*before, NamedText(name, state.context_text.strip())])
    state.context_name, state.context_text = "", ""


def _remove_context(place: int) -> None:
    pair = current_pair()
    _open_contexts(pair, [text for number, text in enumerate(named_texts(pair)) if number != place])


def _open_contexts(pair: LoadedPair, texts: Sequence[NamedText]) -> None:
    """Make the document of these contexts, whose names are made distinct."""
    document, contexts = join_contexts(with_distinct_names(texts))
    _replace_source(replace(pair, document=document, contexts=contexts))


def _replace_source(pair: LoadedPair) -> None:
    """Another document below the same summary and edits: no longer the example or the kept pair that was opened."""
    state = probe_state()
    state.pair = replace(pair, example="", saved=(), kept="")
    state.opened = None
    keep_draft()
