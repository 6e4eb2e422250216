"""An explanation with its verdict, what rules say of it, and what a person does."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from typing import Literal

import streamlit as st

from annotations.records import Cause, Grade, Record
from core.explaining.finding import Finding
from core.explaining.naming import named
from core.explaining.speaking import contradicts_itself, speaks_for
from core.types import Verdict
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.probe import pair as bench
from pages.ui.probe.record_tab import grade_words, record_now, save

_GIVEN = "explain-given"
_Colour = Literal["green", "orange", "red"]
_COLOURS: dict[Verdict, _Colour] = {
    Verdict.CONSISTENT: "green",
    Verdict.INCONSISTENT: "red",
    Verdict.BORDERLINE: "orange",
}


def finding_card(finding: Finding) -> None:
    """The verdict, the checks by rule, the words, who said them, and the form to grade them."""
    with st.container(border=True, key="explain-finding", gap="small"):
        with st.container(horizontal=True, gap="small"):
            _verdict(finding)
            if finding.verdict is Verdict.INCONSISTENT:
                _names(finding.explanation)
            _contradiction(finding)
        st.markdown(plain(finding.explanation))
        st.caption(plain(finding.by))
        _grade_form(finding)


def _verdict(finding: Finding) -> None:
    if finding.by.startswith(_GIVEN):
        st.badge("told that it is inconsistent", color="gray")
    else:
        st.badge(finding.verdict.value, color=_COLOURS[finding.verdict])


def _names(explanation: str) -> None:
    for one in named(explanation, bench.current().original, bench.edits()):
        changed = dict.fromkeys([*one.inserted, *one.deleted])
        used = ", ".join(word for word in changed if word in one.used)
        st.badge(
            "names the edited words" if one.holds else "does not name the edited words",
            icon=":material/check:" if one.holds else ":material/question_mark:",
            color="green" if one.holds else "orange",
            help=plain(
                f"By rule. Edited: {', '.join(changed) or 'no words'}. Used: {used or 'none'}. Other words may tell it, too."
            ),
        )


def _contradiction(finding: Finding) -> None:
    if contradicts_itself(finding.verdict, finding.explanation):
        st.badge(
            "contradicts its own verdict",
            icon=":material/warning:",
            color="red",
            help="By rule: it calls the summary the opposite in so many words. Only plain English phrases are known.",
        )
    elif not speaks_for(finding.explanation):
        st.badge(
            "repeats no verdict",
            color="gray",
            help="By rule: it calls the summary neither consistent nor inconsistent in so many words, so it was not checked "
            "whether it contradicts its verdict.",
        )


def _grade_form(finding: Finding) -> None:
    key = _key(finding)
    # begins with what stands under Record and is its own then: a browser that lags behind would send the older one
    st.session_state.setdefault(f"explain-verdict-{key}", st.session_state["verdict"])
    with st.container(horizontal=True):
        verdict = st.segmented_control(
            "You find the summary",
            [*Verdict],
            key=f"explain-verdict-{key}",
            format_func=str.capitalize,
            on_change=_tell_record,
            args=(key,),
        )
        grade = st.segmented_control(
            "and the explanation", [*Grade], key=f"explain-grade-{key}", format_func=grade_words
        )
    if grade in (Grade.PARTIALLY, Grade.NOT):
        st.segmented_control("because of", [*Cause], key=f"explain-cause-{key}", format_func=str.capitalize)
    demo = services.settings().demo
    st.button(
        "Save judgement",
        key="explain-save",
        icon=":material/save:",
        on_click=save,
        args=(partial(_record, finding),),
        disabled=demo or not grade or not verdict,
        help="Nothing is kept in this demo."
        if demo
        else "Saves your label with what stands under Record, and the grade.",
    )


def _tell_record(key: str) -> None:
    st.session_state["verdict"] = st.session_state[f"explain-verdict-{key}"]


def _record(finding: Finding) -> Record:
    """What stands under Record, with this explanation and its grade in place of the one there."""
    state, key = st.session_state, _key(finding)
    grade = state[f"explain-grade-{key}"]
    return replace(
        record_now(),
        verdict=state[f"explain-verdict-{key}"],
        explanation=finding.explanation,
        explanation_by=finding.by,
        grade=grade,
        cause=state.get(f"explain-cause-{key}") if grade in (Grade.PARTIALLY, Grade.NOT) else None,
    )


def _key(finding: Finding) -> str:
    """What was said of another text is of another finding, though the words be the same."""
    told = "\0".join([finding.by, finding.explanation, bench.current().document, bench.edited()])
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]
