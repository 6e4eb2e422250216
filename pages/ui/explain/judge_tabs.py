"""Judgements by a language model: a grade of an explanation, its stability over fresh samples, and two summaries compared."""

from __future__ import annotations

from functools import partial
from typing import Literal

import streamlit as st

from annotations.store.records import FLAW_MEANINGS
from core.errors import TouchstoneError
from core.evaluation import (
    Detection,
    ExplanationGrade,
    JudgeSetup,
    PairwiseAnswer,
    Preference,
    SampleStrip,
    sample_strip,
    unanswered_failures,
)
from core.models import Sampling
from core.types import Grade
from pages.ui.explain import explain_requests
from pages.ui.explain.explain_requests import ExplainState
from pages.ui.probe.pair import current_edits
from pages.ui.probe.record_tab import format_grade
from pages.ui.shared.endpoint_form import estimate_line
from pages.ui.shared.markup import escape_markdown, escape_message, render_html

SETUP_TITLES = {
    JudgeSetup.V1: "V1 document",
    JudgeSetup.V2: "V2 both summaries",
    JudgeSetup.V3: "V3 and a reference",
    JudgeSetup.V4: "V4 reference alone",
}
_REFERENCE_HINT = "Edit the summary, and write next to the edit why it is wrong."
_Colour = Literal["green", "blue", "orange", "red", "gray"]
GRADE_COLOURS: dict[Grade, _Colour] = {Grade.ENTIRELY: "green", Grade.PARTIALLY: "orange", Grade.NOT: "red"}


def judge_form(finding: Detection, sampling: Sampling) -> None:
    """The choice of what the judge reads, and its grade."""
    case = explain_requests.case_of_finding(finding)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "A model grades it by",
            list(SETUP_TITLES),
            default=JudgeSetup.V1,
            key=ExplainState.setup.key,
            required=True,
            format_func=SETUP_TITLES.__getitem__,
            help="What the judge reads in addition to the explanation. The reference is the explanation given for each edit under Edit.",
        )
        setup = explain_requests.chosen_setup()
        missing = case.missing_inputs(setup)
        st.button(
            "Grade",
            key="explain-grade",
            icon=":material/gavel:",
            on_click=explain_requests.run_if_possible,
            args=(sampling.endpoint, partial(explain_requests.ask_for_grade, finding)),
            disabled=bool(missing),
        )
    st.checkbox(
        "and name what is wrong where it is not entirely correct",
        key=ExplainState.ask_cause.key,
        help="Misattribution, additional unrelated, completeness or vague, as you choose it under Explanation.",
    )
    if missing:
        st.caption(f"{setup} reads the {' and the '.join(missing)}, and there is none yet. {_REFERENCE_HINT}")
    else:
        estimate_line([explain_requests.grade_conversation(case, setup, sampling)])
    outcome = explain_requests.current_grade(case, setup)
    if isinstance(outcome, ExplanationGrade):
        grade = outcome.grade
        with st.container(border=True, key="explain-graded", gap="small"):
            with st.container(horizontal=True, gap="small"):
                st.badge(format_grade(grade), icon=":material/gavel:", color=GRADE_COLOURS[grade])
                if outcome.cause:
                    meaning = FLAW_MEANINGS[outcome.cause]
                    st.badge(f"because of: {outcome.cause.capitalize()}", color="gray", help=meaning)
            st.markdown(escape_markdown(outcome.because))
            st.caption(escape_markdown(outcome.by))
    elif outcome:
        st.error(escape_message(outcome.error), icon=":material/error:")


_STRIP_MARKS = {
    "consistent": ("●", "good"),
    "inconsistent": ("■", "bad"),
    "entirely": ("●", "good"),
    "partially": ("◐", "middle"),
    "not": ("■", "bad"),
    "": ("×", "unread"),
}
_MAX_TITLE_CHARACTERS = 300


def strip_html(strip: SampleStrip) -> str:
    """HTML of the samples in their order; every text is escaped."""
    marks = []
    for sample in strip.samples:
        label, text = sample.label or "not readable", sample.text
        words = text if len(text) <= _MAX_TITLE_CHARACTERS else f"{text[:_MAX_TITLE_CHARACTERS]}…"
        marks.append((*_STRIP_MARKS[sample.label], label, f"{label}: {words}"))
    return render_html("strip.html", marks=marks)


def stability_form(finding: Detection | None, sampling: Sampling) -> None:
    """The form to draw samples, and all that were drawn of this judge on this text."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Samples of",
            [explain_requests.VERDICT_SAMPLES, explain_requests.GRADE_SAMPLES]
            if finding
            else [explain_requests.VERDICT_SAMPLES],
            default=explain_requests.VERDICT_SAMPLES,
            key=ExplainState.sampled.of(bool(finding)).key,
            required=True,
            help="The verdict on the summary, or the grade of the explanation in the chosen set-up.",
        )
        st.number_input("Temperature", 0.0, 2.0, 1.0, 0.1, key=ExplainState.temperature.key, width=125)
        st.number_input("Number", 2, 50, 5, key=ExplainState.number.key, width=115)
        st.button(
            "Draw",
            key="explain-draw",
            icon=":material/casino:",
            on_click=explain_requests.run_if_possible,
            args=(sampling.endpoint, partial(explain_requests.draw_samples, finding)),
            help="Each sample is asked for by itself; none is taken from what was answered before.",
        )
    at = explain_requests.at_sample_temperature(sampling)
    try:
        subject = explain_requests.chosen_subject(finding, at)
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return
    estimate_line(explain_requests.sample_conversations(subject, at))
    outcomes = explain_requests.drawn_samples(subject)
    if not outcomes:
        return
    import pandas as pd

    strip, silent = sample_strip(outcomes), unanswered_failures(outcomes)
    st.html(strip_html(strip))
    counts = [f"{label} {count}" for label, count in strip.counts.items()]
    unreadable = [f"not readable {strip.unreadable}"] if strip.unreadable else []
    rate = "" if strip.flip_rate is None else f"flip rate {strip.flip_rate:.2f}"
    st.text(" · ".join(filter(None, [*counts, *unreadable, rate])))
    if silent:
        why = escape_markdown(silent[-1].error)
        st.warning(f"{len(silent)} more could not be asked: {why}", icon=":material/cloud_off:")
    if strip.samples:
        st.dataframe(
            pd.DataFrame(
                [{"answer": sample.label or "not readable", "why": sample.text} for sample in strip.samples],
                index=pd.RangeIndex(1, len(strip.samples) + 1, name="sample"),
            ),
            height=min(215, 38 + 35 * len(strip.samples)),
            alt="The answer of each sample",
            column_config={"why": st.column_config.TextColumn(width="large")},
        )


_PREFERENCE_BADGES: dict[Preference, tuple[str, _Colour]] = {
    "original": ("The original is more consistent", "blue"),
    "edited": ("The edited one is more consistent", "orange"),
    "tie": ("Both are the same", "gray"),
    "order-inconsistent": ("The orders differ: no preference", "red"),
}


def pairwise_form(sampling: Sampling) -> None:
    """The question about both summaries, and what each order came to."""
    if not current_edits():
        st.caption("There is no edit to compare with the original yet.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Compare",
            key="explain-compare",
            icon=":material/compare_arrows:",
            on_click=explain_requests.run_if_possible,
            args=(sampling.endpoint, explain_requests.ask_for_comparison),
            help="Which of the two is more consistent with the document: asked twice, with either first. It counts where both say the same.",
        )
    estimate_line([explain_requests.comparison_conversation(sampling)])
    outcome = explain_requests.current_comparison()
    if isinstance(outcome, PairwiseAnswer):
        words, colour = _PREFERENCE_BADGES[outcome.preference]
        orders = (("Original first", outcome.original_first), ("Edited first", outcome.edited_first))
        with st.container(border=True, key="explain-compared", gap="small"):
            st.badge(words, icon=":material/compare_arrows:", color=colour)
            for (order, preference), reason in zip(orders, outcome.reasons, strict=True):
                st.markdown(f"**{order}: {preference}.** {escape_markdown(reason)}")
            st.caption(escape_markdown(outcome.by))
    elif outcome:
        st.error(escape_message(outcome.error), icon=":material/error:")
