"""Why the summary is (in)consistent, in the words of a language model: asked for, graded, and asked for again and again."""

from __future__ import annotations

import streamlit as st

from core.errors import TouchstoneError
from core.explaining.finding import Finding
from core.llm.saying import Sampling
from core.types import Failure
from pages.ui.answering import answering, endpoint_and_model
from pages.ui.endpoint_costs import price_line
from pages.ui.explain import asking, form
from pages.ui.explain.finding import finding_card
from pages.ui.explain.judge import judge_form
from pages.ui.explain.stability import stability
from pages.ui.plain import plain
from pages.ui.probe import pair as bench

_LOOK_S = 0.3


def explain_tab() -> None:
    """The form, then what came of it about the summary as it stands; one line where nobody can be asked."""
    asking.note_drawn()
    if not (found := answering()):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        endpoint, _ = endpoint_and_model(found, "explain")
        _way()
        press = st.empty()
    try:
        sampling = form.sampling_now(endpoint)
    except TouchstoneError as error:
        st.info(plain(str(error)), icon=":material/link_off:")
        return
    press.button(
        "Explain",
        key="explain-ask",
        icon=":material/send:",
        type="primary",
        on_click=form.pressed,
        args=(endpoint, asking.ask_for_finding),
        disabled=not bench.edited().strip(),
    )
    price_line([form.finding_talk(sampling)])
    _answers(sampling)


def _way() -> None:
    st.segmented_control(
        "The model is to",
        list(form.WAYS),
        default=next(iter(form.WAYS)),
        key="explain-way",
        required=True,
        help="Detect and explain: it says whether the summary is consistent, and why. Explain the error: it is told that "
        "the summary is inconsistent, and says why.",
    )


def _answers(sampling: Sampling) -> None:
    outcome = asking.finding()
    found = outcome if isinstance(outcome, Finding) else None
    if isinstance(outcome, Failure):
        st.error(plain(outcome.message), icon=":material/error:")
    if asking.under_way()[1]:
        with st.container(horizontal=True, vertical_alignment="center"):
            _wait()
            # not in the fragment: what is pressed there is heard only when the page's own loop has ended
            st.button("Cancel", key="explain-cancel", on_click=asking.drop_all)
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
    came, total = asking.under_way()
    st.caption(f"The model is being asked: {came} of {total} answers have come …")
