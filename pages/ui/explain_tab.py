"""Why the summary is (in)consistent, in the words of a language model: asked for, graded, and asked for again and again."""

from __future__ import annotations

import streamlit as st

from core.errors import TouchstoneError
from core.explaining.finding import Finding
from core.llm.endpoint import chosen_model
from core.llm.saying import Sampling
from core.types import Failure
from pages.ui import explain_asking as asking
from pages.ui import pair as bench
from pages.ui.answering import answering, endpoint_and_model
from pages.ui.explain_finding import finding_card
from pages.ui.explain_judge import judge_form
from pages.ui.explain_stability import stability
from pages.ui.plain import plain

_LOOK_S = 0.3


def explain_tab() -> None:
    """The form, then what came of it about the summary as it stands; one line where nobody can be asked."""
    asking.note_drawn()
    if not (found := answering()):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        endpoint, model = endpoint_and_model(found, "explain")
        way = _way()
        press = st.empty()
    try:
        sampling = Sampling(chosen_model(model, endpoint), endpoint=endpoint)
    except TouchstoneError as error:
        st.info(plain(str(error)), icon=":material/link_off:")
        return
    press.button(
        "Explain",
        key="explain-ask",
        icon=":material/send:",
        type="primary",
        on_click=asking.ask_for_finding,
        args=(way, sampling),
        disabled=not bench.edited().strip(),
    )
    _answers(sampling)


def _way() -> str:
    chosen: str = st.segmented_control(
        "The model is to",
        list(asking.WAYS),
        default=next(iter(asking.WAYS)),
        key="explain-way",
        required=True,
        help="Detect and explain: it says whether the summary is consistent, and why. Explain the error: it is told that "
        "the summary is inconsistent, and says why.",
    )
    return chosen


def _answers(sampling: Sampling) -> None:
    outcome = asking.finding()
    found = outcome if isinstance(outcome, Finding) else None
    if isinstance(outcome, Failure):
        st.error(plain(outcome.message), icon=":material/error:")
    if asking.running():
        _wait()
    explanation, graded, stable = st.tabs(["Explanation", "Graded by a model", "Stability"], key="explain-tabs")
    with explanation:
        if found:
            finding_card(found)
        else:
            st.caption("Nothing was found of this summary yet.")
    with graded:
        if found:
            judge_form(found, sampling)
        else:
            st.caption("There is no explanation of this summary to grade yet.")
    with stable:
        stability(found, sampling)


@st.fragment(run_every=_LOOK_S)
def _wait() -> None:
    """Look for news beside the page; where scores still arrive the page's own loop looks."""
    if asking.explanations_came():
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("The model is being asked …")
        st.button("Cancel", key="explain-cancel", on_click=asking.drop_all)
