"""A panel of language models that grade one explanation: who is on it, what each says, and the majority."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.errors import Problem, TouchstoneError, attempt
from core.evaluation import Detection, ExplanationGrade, count_votes, judge_title
from core.models import Endpoint, Sampling
from core.types import Failure
from pages.ui.explain import explain_requests
from pages.ui.explain.explain_requests import ExplainState
from pages.ui.explain.judge_tabs import GRADE_COLOURS, SETUP_TITLES
from pages.ui.probe.record_tab import format_grade
from pages.ui.shared.endpoint_form import estimate_line
from pages.ui.shared.markup import escape_message


def panel_form(finding: Detection, endpoints: Mapping[str, Endpoint]) -> None:
    """The choice of the judges, the grade of each, and that of most of them."""
    case, setup = explain_requests.case_of_finding(finding), explain_requests.chosen_setup()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.multiselect(
            "Judges",
            [
                f"{endpoint.model}@{name}" if name else endpoint.model
                for name, endpoint in endpoints.items()
                if endpoint.model
            ],
            key=ExplainState.judges.key,
            accept_new_options=True,
            placeholder="two or more",
            help="MODEL@ENDPOINT, or local:FOLDER for a chat model of this machine. Type one that is not in the list.",
        )
        press = st.empty()

    def ask() -> None:
        try:
            explain_requests.ask_panel(finding)
        except TouchstoneError:
            return  # the form that is drawn next says why

    judges = attempt(explain_requests.chosen_judges)
    missing = case.missing_inputs(setup)
    press.button(
        "Ask the panel",
        key="explain-panel-ask",
        icon=":material/groups:",
        on_click=ask,
        disabled=bool(missing) or isinstance(judges, Problem),
    )
    st.caption(f"Each judge reads what is chosen under Graded by a model: {SETUP_TITLES[setup]}.")
    if missing:
        st.caption(f"{setup} reads the {' and the '.join(missing)}, and there is none yet.")
    elif isinstance(judges, Problem):
        st.caption(escape_message(judges.error))
    else:
        estimate_line(explain_requests.panel_conversations(case, setup, judges))
    _panel_card(*explain_requests.panel_outcomes(case, setup))


def _panel_card(judges: Sequence[Sampling], outcomes: Sequence[ExplanationGrade | Failure]) -> None:
    import pandas as pd

    if not outcomes:
        return
    vote = count_votes(outcomes)
    with st.container(border=True, key="explain-panel", gap="small"):
        if len(outcomes) == len(judges):
            with st.container(horizontal=True, gap="small"):
                if vote.majority:
                    grade = vote.majority
                    st.badge(f"Majority: {format_grade(grade)}", icon=":material/groups:", color=GRADE_COLOURS[grade])
                else:
                    st.badge("No majority", icon=":material/groups:", color="gray")

                mean = "" if vote.score is None else f"mean {vote.score:.2f}"
                unequal = (
                    "" if vote.unequal_share is None else f"{vote.unequal_share:.0%} of the pairs of judges differ"
                )
                st.text(" · ".join(filter(None, [vote.error or str(vote), mean, unequal])))
        rows = [
            (
                {"judge": judge_title(judge), "grade": "failed", "why": outcome.error}
                if isinstance(outcome, Failure)
                else {"judge": judge_title(judge), "grade": outcome.grade, "why": outcome.because}
            )
            for judge, outcome in zip(judges, outcomes, strict=False)
        ]
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            height="auto",
            alt="The grade of each judge",
            column_config={"why": st.column_config.TextColumn(width="large")},
        )
