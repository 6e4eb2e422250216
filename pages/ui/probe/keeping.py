"""One key keeps the pair: the original, the edited summary, what it is meant to be and what the metrics said."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from annotations.records import KeptPair
from core.datasets.bundled import examples
from core.errors import TouchstoneError
from core.types import Outcome
from pages.ui import services
from pages.ui.probe import pair as bench
from pages.ui.probe.scores import finished_outcomes


def keep_button() -> None:
    demo = services.settings().demo
    st.button(
        "Keep pair",
        icon=":material/bookmark_add:",
        key="keep",
        type="primary",
        shortcut="Alt+K",
        on_click=_keep,
        disabled=demo,
        help="Nothing is kept in this demo." if demo else "Saves the original, the edits and the scores shown.",
    )


def _keep() -> None:
    bench.note_change()
    state, pair = st.session_state, bench.current()
    try:
        receipt = services.store().keep_pair(_kept(pair, finished_outcomes()))
    except TouchstoneError as error:
        state["receipt"] = ("error", str(error))
        return
    state["receipt"] = ("kept" if receipt.fresh else "known", receipt.id)
    if pair.example not in {item.example.id for item in examples()}:
        state["pair"] = replace(pair, example=receipt.id)


def _kept(pair: bench.Pair, outcomes: tuple[Outcome, ...]) -> KeptPair:
    state = st.session_state
    return KeptPair(
        document=pair.document,
        original=pair.original,
        edited=bench.edited(),
        edits=tuple(replace(edit, by=edit.by or state["annotator"]) for edit in bench.edits()),
        by=state["annotator"],
        intended=state.get("intended"),
        error_type=state.get("intended-type"),
        title=pair.title,
        domain=pair.domain,
        source=pair.source,
        outcomes=outcomes,
    )
