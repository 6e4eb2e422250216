"""An explanation graded by a language model, in the set-up that is chosen."""

from __future__ import annotations

from functools import partial
from typing import Literal

import streamlit as st

from annotations.records import Grade
from core.explaining.finding import Finding
from core.explaining.judging import Judged, Setup, judging
from core.llm.saying import Sampling
from pages.ui.endpoint_costs import price_line
from pages.ui.explain import asking, form
from pages.ui.plain import plain
from pages.ui.probe.record_tab import grade_words

SETUPS = {
    Setup.V1: "V1 document",
    Setup.V2: "V2 both summaries",
    Setup.V3: "V3 and a reference",
    Setup.V4: "V4 reference alone",
}
_HINT = "Edit the summary, and write beside the edit why it is wrong."
_Colour = Literal["green", "orange", "red"]
_COLOURS: dict[Grade, _Colour] = {Grade.ENTIRELY: "green", Grade.PARTIALLY: "orange", Grade.NOT: "red"}


def judge_form(finding: Finding, sampling: Sampling) -> None:
    """The choice of what the judge reads, and its grade."""
    case = form.case_of(finding)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "A model grades it by",
            list(SETUPS),
            default=Setup.V1,
            key="explain-setup",
            required=True,
            format_func=SETUPS.__getitem__,
            help="What the judge reads beside the explanation. The reference is what is written beside the edits under Edit.",
        )
        setup = form.setup_now()
        lacking = case.lacks(setup)
        st.button(
            "Grade",
            key="explain-grade",
            icon=":material/gavel:",
            on_click=form.pressed,
            args=(sampling.endpoint, partial(asking.ask_for_grade, finding)),
            disabled=bool(lacking),
        )
    if lacking:
        st.caption(f"{setup} reads the {' and the '.join(lacking)}, and there is none yet. {_HINT}")
    else:
        price_line([judging(case, setup, sampling)])
    outcome = asking.grade(case, setup)
    if isinstance(outcome, Judged):
        _graded(outcome)
    elif outcome:
        st.error(plain(outcome.message), icon=":material/error:")


def _graded(judged: Judged) -> None:
    grade = Grade(judged.grade)
    with st.container(border=True, key="explain-graded", gap="small"):
        st.badge(grade_words(grade), icon=":material/gavel:", color=_COLOURS[grade])
        st.markdown(plain(judged.because))
        st.caption(plain(judged.by))
