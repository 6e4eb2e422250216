"""Summaries of one document by several systems, out of an uploaded file, side by side on the bench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.text import recover
from core.types import Intention, Item
from pages.ui.probe.opening import open_pair
from pages.ui.probe.pair import MAX_PINNED
from pages.ui.probe.probe_state import LoadedPair, ProbeState, probe_state
from pages.ui.shared.pair_link import PinnedEdit

_MOST_LISTED = 200
_SHOWN = 60  # characters of a document in the list


def outputs_by_document(items: Sequence[Item]) -> dict[str, list[Item]]:
    """The summaries of each document that two systems or more wrote, one for each system; documents without are left out."""
    by_document: dict[str, dict[str, Item]] = {}
    for item in items:
        if item.system and not item.parent:
            by_document.setdefault(item.example.document, {}).setdefault(item.system, item)
    return {document: [*of.values()] for document, of in by_document.items() if len(of) > 1}


def outputs_choice(items: Sequence[Item]) -> None:
    """Choose a document whose summaries are opened side by side; nothing where no file names systems."""
    outputs = outputs_by_document(items)
    if not outputs:
        return
    titles = _titles(outputs)
    st.selectbox(
        f"{len(outputs)} documents with summaries of several systems",
        [*titles][:_MOST_LISTED],
        key=ProbeState.uploaded_outputs.key,
        on_change=lambda: _open(outputs),
        format_func=titles.__getitem__,
        index=None,
        placeholder="Choose one to see its summaries side by side",
    )


def _titles(outputs: Mapping[str, Sequence[Item]]) -> dict[int, str]:
    return {
        number: f"{of[0].title or document[:_SHOWN]} ({', '.join(item.system for item in of)})"
        for number, (document, of) in enumerate(outputs.items())
    }


def _open(outputs: Mapping[str, Sequence[Item]]) -> None:
    state = probe_state()
    number = state.uploaded_outputs
    if number is None:
        return
    first, *others = [*outputs.values()][number]
    summary = first.example.summary
    pinned = tuple(
        PinnedEdit(
            tuple(recover(summary, other.example.summary)), Intention(other.intended, other.error_type), other.system
        )
        for other in others[:MAX_PINNED]
    )
    opened = LoadedPair(
        *("", first.system, first.domain, "upload", first.example.document, summary),
        contexts=first.example.contexts,
        question=first.example.question,
    )
    open_pair(opened, pinned=pinned)
    state.upload_open = False
