"""The Explain tab: a language model explains why the summary is (in)consistent, and a person grades the explanation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import streamlit as st

from annotations.store.records import LabelRecord
from core.errors import TouchstoneError
from core.evaluation import Detection, check_named_edits, contradicts_itself, stated_verdict
from core.models import Endpoint, Sampling
from core.types import Failure, Grade, Verdict
from pages.server import services
from pages.ui.explain import explain_requests
from pages.ui.explain.explain_requests import ExplainState
from pages.ui.explain.judge_tabs import judge_form, pairwise_form, stability_form
from pages.ui.explain.panel_tab import panel_form
from pages.ui.probe.pair import current_edits, current_pair, edited_summary
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.record_tab import (
    flaw_control,
    format_grade,
    record_field,
    record_from_form,
    save_record,
    state_meaning,
)
from pages.ui.shared.endpoint_form import available_endpoints, choose_endpoint_and_model, estimate_line
from pages.ui.shared.endpoint_waits import endpoint_waits
from pages.ui.shared.markup import escape_markdown, escape_message

_GIVEN_PROMPT = "explain-given"
_Colour = Literal["green", "orange", "red"]
_VERDICT_COLOURS: dict[Verdict, _Colour] = {
    Verdict.CONSISTENT: "green",
    Verdict.INCONSISTENT: "red",
    Verdict.BORDERLINE: "orange",
}


def explanation_card(finding: Detection) -> None:
    """The verdict, the checks by rule, the explanation, its author, and the form to grade them."""
    with st.container(border=True, key="explain-finding", gap="small"):
        with st.container(horizontal=True, gap="small"):
            if finding.by.startswith(_GIVEN_PROMPT):
                st.badge("given that it is inconsistent", color="gray")
            else:
                st.badge(finding.verdict.value, color=_VERDICT_COLOURS[finding.verdict])
            if finding.verdict is Verdict.INCONSISTENT:
                for check in check_named_edits(finding.explanation, current_pair().original, current_edits()):
                    changed = dict.fromkeys([*check.inserted, *check.deleted])
                    used = ", ".join(word for word in changed if word in check.used)
                    st.badge(
                        "names the edited words" if check.is_named else "does not name the edited words",
                        icon=":material/check:" if check.is_named else ":material/question_mark:",
                        color="green" if check.is_named else "orange",
                        help=escape_markdown(
                            f"By rule. Edited: {', '.join(changed) or 'no words'}. Used: {used or 'none'}. Other words may say it, too."
                        ),
                    )

            if contradicts_itself(finding.verdict, finding.explanation):
                st.badge(
                    "contradicts its own verdict",
                    icon=":material/warning:",
                    color="red",
                    help="By rule: it calls the summary the opposite in so many words. Only plain English phrases are known.",
                )
            elif not stated_verdict(finding.explanation):
                st.badge(
                    "repeats no verdict",
                    color="gray",
                    help="By rule: it calls the summary neither consistent nor inconsistent in so many words, so it was not checked "
                    "whether it contradicts its verdict.",
                )
        st.markdown(escape_markdown(finding.explanation))
        st.caption(escape_markdown(finding.by))
        _grade_form(finding)


def _grade_form(finding: Detection) -> None:
    id = _finding_id(finding)

    def copy_verdict_to_record() -> None:
        record_field(ProbeState.verdict).set(ExplainState.verdict_of.of(id).get())
        state_meaning()

    def record_with_grade() -> LabelRecord:
        """The label filled in under Record, with this explanation and its grade in place of the one there."""
        grade = ExplainState.grade_of.of(id).get()
        return replace(
            record_from_form(ExplainState.verdict_of.of(id).get()),
            explanation=finding.explanation,
            explanation_by=finding.by,
            grade=grade,
            cause=ExplainState.flaw_of.of(id).get() if grade in (Grade.PARTIALLY, Grade.NOT) else None,
        )

    with st.container(horizontal=True):
        verdict = st.segmented_control(
            "You find the summary",
            [*Verdict],
            # its own from then on: a browser that lags behind would send the older one of a field that both share
            default=record_field(ProbeState.verdict).get(),
            key=ExplainState.verdict_of.of(id).key,
            format_func=str.capitalize,
            on_change=copy_verdict_to_record,
        )
        grade = st.segmented_control(
            "and the explanation", [*Grade], key=ExplainState.grade_of.of(id).key, format_func=format_grade
        )
    if grade in (Grade.PARTIALLY, Grade.NOT):
        flaw_control(ExplainState.flaw_of.of(id).key)
    demo = services.settings().demo
    st.button(
        "Save judgement",
        key="explain-save",
        icon=":material/save:",
        on_click=save_record,
        args=(record_with_grade,),
        disabled=demo or not grade or not verdict,
        help="Nothing is kept in this demo."
        if demo
        else "Saves your label with what is filled in under Record, and the grade.",
    )


def _finding_id(finding: Detection) -> str:
    """A finding about another text is another finding, even in the same words."""
    parts = "\0".join([finding.by, finding.explanation, current_pair().document, edited_summary()])
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]


_LOOK_S = 0.3


def explain_tab() -> None:
    """The form, then the answers about the summary in the editor; one line where no endpoint can be asked."""
    explain_requests.mark_drawn()
    endpoints = available_endpoints("explain")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        endpoint, _ = choose_endpoint_and_model(endpoints, "explain")

        st.segmented_control(
            "The model is to",
            list(explain_requests.EXPLAIN_MODES),
            default=next(iter(explain_requests.EXPLAIN_MODES)),
            key=ExplainState.mode.key,
            required=True,
            help="Detect and explain: it says whether the summary is consistent, and why. Explain the error: it is given that "
            "the summary is inconsistent, and says why.",
        )

        press = st.empty()
    try:
        sampling = explain_requests.chosen_sampling(endpoint)
    except TouchstoneError as error:
        if endpoints:
            st.info(escape_message(str(error)), icon=":material/link_off:")
        return
    press.button(
        "Explain",
        key="explain-ask",
        icon=":material/send:",
        type="primary",
        on_click=explain_requests.run_if_possible,
        args=(endpoint, explain_requests.ask_for_finding),
        disabled=not edited_summary().strip(),
    )
    estimate_line([explain_requests.finding_conversation(sampling)])
    _answer_tabs(sampling, endpoints)


def _answer_tabs(sampling: Sampling, endpoints: Mapping[str, Endpoint]) -> None:
    outcome = explain_requests.current_finding()
    finding = outcome if isinstance(outcome, Detection) else None
    if isinstance(outcome, Failure):
        st.error(escape_message(outcome.error), icon=":material/error:")
    if explain_requests.pending_counts()[1]:
        with st.container(horizontal=True, vertical_alignment="center"):
            _watch_answers()
            # not in the fragment: what is pressed there counts only when the page's own loop has ended
            st.button(
                "Cancel",
                key="explain-cancel",
                on_click=explain_requests.cancel_requests,
                disabled=explain_requests.are_stopping(),
            )
    titles = ["Explanation", "Graded by a model", "Panel", "Stability", "Pairwise"]
    explanation, graded, panel, stable, pairwise = st.tabs(titles, key="explain-tabs")
    with explanation:
        if finding:
            explanation_card(finding)
        else:
            st.caption("Nothing was found of this summary yet.")
    with graded:
        if finding:
            judge_form(finding, sampling)
        else:
            st.caption("There is no explanation of this summary to grade yet.")
    with panel:
        if finding:
            panel_form(finding, endpoints)
        else:
            st.caption("There is no explanation of this summary to grade yet.")
    with stable:
        stability_form(finding, sampling)
    with pairwise:
        pairwise_form(sampling)


@st.fragment(run_every=_LOOK_S)
def _watch_answers() -> None:
    """Look for news next to the page; where scores still arrive the page's own loop looks."""
    if explain_requests.explanations_arrived():
        st.rerun()
    came, total = explain_requests.pending_counts()
    doing = "Stopping after the answer under way" if explain_requests.are_stopping() else "The model is being asked"
    st.caption(f"{doing}: {came} of {total} answers have come …")
    endpoint_waits()
