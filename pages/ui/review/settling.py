"""One case after the other: texts, labels, and the decision that settles them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotations.campaigns.cases import Case
from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.settling import Cause, Decision, Dispute, Docket
from annotations.campaigns.setup import Terms
from annotations.errors import StoreError
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.review.form import answers_of, cause_of, field, fill, form, note_of
from pages.ui.review.state import desk, opened, press, pressed, steps
from pages.ui.review.texts import document, labels, summaries, taken_now
from pages.ui.review.words import agreement_words, option_words


def page(campaign: Terms, cases: Sequence[Case], docket: Docket) -> None:
    """The case that is open of a list, or why there is none."""
    if not cases:
        _nothing(docket)
        return
    tasks = [case.task for case in cases]
    place, task = opened(f"case-{campaign.id}", tasks)
    dispute = desk().dispute(campaign.id, task)
    _prepare(dispute, campaign.questions)
    steps(f"case-{campaign.id}", tasks, place, agreement_words(dispute))
    _standing(dispute, campaign.questions)
    reading, deciding = st.columns(2, gap="medium")
    with reading:
        summaries(dispute, campaign.questions)
        document(dispute, campaign.questions)
    with deciding:
        labels(dispute, campaign.questions, lambda answers: fill(dispute, campaign.questions, answers))
        _decision(campaign, dispute)


def _decision(campaign: Terms, dispute: Dispute) -> None:
    demo = services.settings().demo
    with st.container(border=True, key="decision"):
        form(dispute, campaign.questions)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Settle it anew" if dispute.decided else "Settle",
                key=f"settle-{dispute.task}",
                shortcut="D",  # a button that has the focus takes Enter, whatever is pressed with it
                type="primary",
                on_click=_settle,
                args=(campaign, dispute),
                disabled=demo,
                help="Nothing is kept in this demo." if demo else None,
            )
            if problem := st.session_state.pop(field(dispute, "/problem"), ""):
                st.error(plain(problem), icon=":material/error:")


def _settle(campaign: Terms, dispute: Dispute) -> None:
    """The durable write first; what fails stays in the form with its reason."""
    if taken := taken_now(dispute):  # Streamlit may hear keys that were pressed one after the other in another order
        fill(dispute, campaign.questions, taken)
    state, cause, name = st.session_state, cause_of(dispute), f"case-{dispute.task}"
    if cause is None:
        state[field(dispute, "/problem")] = "Say why people differed: choose one of the four causes."
        return
    answers = answers_of(dispute, campaign.questions)
    decision = Decision(dispute.task, answers, cause, dispute.responses, press(name), note_of(dispute))
    try:
        desk().settle(campaign.id, decision)
    except StoreError as error:
        state[field(dispute, "/problem")] = str(error)
        return
    pressed(name)
    state["notice"] = "Settled."


def _prepare(dispute: Dispute, questions: QuestionSet) -> None:
    """Begin with the newest decision where there is one; what was filled in since stays."""
    state, begun = st.session_state, field(dispute, "/begun")
    revision = dispute.decided.revision if dispute.decided else 0
    if state.get(begun) == (revision, dispute.reopened):
        return
    state[begun] = (revision, dispute.reopened)
    stands = dispute.decided if dispute.decided and not dispute.reopened else None
    fill(dispute, questions, stands.answers if stands else {})
    state[field(dispute, "/cause")] = Cause(stands.cause) if stands else None
    state[field(dispute, "/note")] = stands.note if stands else ""


def _standing(dispute: Dispute, questions: QuestionSet) -> None:
    """What was decided before, and what was flagged."""
    if dispute.decided:
        measured = questions.by_id[questions.measure]
        said = plain(option_words(measured, dispute.decided.answers.get(measured.id)))
        when = f"{dispute.decided.created_at:%Y-%m-%d}"
        told = f"Settled on {when} as **{said}** ({dispute.decided.cause})."
        if dispute.reopened:
            st.warning(f"{told} A label that came later says otherwise.", icon=":material/undo:")
        else:
            st.info(told, icon=":material/gavel:")
    for reason in dispute.flags:
        st.warning(f"Somebody flagged this one: {plain(reason)}", icon=":material/flag:")


def _nothing(docket: Docket) -> None:
    words = "Nothing is settled yet." if docket.left else "Nothing is left to settle: people agree, or it is decided."
    if not sum(docket.counts.values()):
        words = "Nobody has labelled anything here yet."
    st.info(words, icon=":material/task_alt:")
