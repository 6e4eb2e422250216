"""One variant whole: its diff, how it was made, what the guard says, and what a person says of it."""

from __future__ import annotations

import streamlit as st

from annotations.records import RunRow
from core.edits import as_segments
from core.errors import TouchstoneError
from core.perturbation import PERTURBATIONS
from core.stress.records import Meaning, Opinion, Run, Source, Variant
from core.stress.words import verdict
from core.types import Verdict
from pages.ui import services
from pages.ui.diff import diff_html
from pages.ui.plain import plain
from pages.ui.probe import pair as bench
from pages.ui.stress.runs import can_be_added_to, say

_FORMS = {"rule": "Made by rule", "prompt": "Written by a language model"}


def whole_variant(row: RunRow, run: Run, source: Source, variant: Variant) -> None:
    """The variant with everything that is known of it, and the ways on."""
    st.html(diff_html(as_segments(source.example.summary, variant.edits)))
    form = _FORMS[PERTURBATIONS.parse(variant.kind).card.form]
    st.caption(plain(f"{form}: {variant.signature}"))
    for explanation in dict.fromkeys(edit.explanation for edit in variant.edits if edit.explanation):
        st.caption(plain(explanation))
    _what_the_guard_says(run, variant)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button("Open in Probe", icon=":material/science:", key="stress-probe"):
            _open_in_probe(source, variant)
        _meaning(row, run, variant)


def _what_the_guard_says(run: Run, variant: Variant) -> None:
    check = run.checks.get((variant.source, variant.kind))
    if check is None:
        return
    if check.mark and check.mark.contradicts:
        st.warning(plain(verdict(check)), icon=":material/warning:")
    else:
        st.caption(plain(verdict(check)))


def _meaning(row: RunRow, run: Run, variant: Variant) -> None:
    opinion = run.opinions.get((variant.source, variant.kind))
    key = f"meaning-{variant.source}-{variant.kind}"
    st.session_state[key] = opinion.meaning if opinion else None
    st.segmented_control(
        "Meaning of the variant",
        list(Meaning),
        key=key,
        format_func=lambda meaning: meaning.value,
        on_change=_say,
        args=(row.id, variant, key),
        disabled=not can_be_added_to(row.id),
    )


def _say(id: str, variant: Variant, key: str) -> None:
    meaning: Meaning | None = st.session_state[key]
    if meaning is None:
        return
    by = st.session_state.get("annotator", services.settings().user)
    try:
        say(id, Opinion(variant.source, variant.kind, meaning, by))
    except TouchstoneError as error:
        st.session_state["notice"] = str(error)


def _open_in_probe(source: Source, variant: Variant) -> None:
    card, example = PERTURBATIONS.parse(variant.kind).card, source.example
    bench.restore()
    opened = bench.Pair(
        "", source.title or example.id, source.domain, example.id, example.document, example.summary, variant.edits
    )
    bench.open_pair(opened, variant.summary)
    st.session_state["intended"] = Verdict.CONSISTENT if card.intent == "preserving" else None
    st.session_state["intended-type"] = card.error_type
    st.switch_page("views/probe.py")
