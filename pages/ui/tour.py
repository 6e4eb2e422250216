"""The tour: what a presenter shows in two minutes over three pages, and the four coach marks of a first visit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from uuid import uuid4

import streamlit as st

from core.types import PRECOMPUTED
from pages.ui.probe.opening import shows_opening_scene
from pages.ui.shared.markup import register_component
from pages.ui.shared.run_choice import BUNDLED_RUN
from pages.ui.shared.session_state import page_state


@dataclass(frozen=True, slots=True)
class Step:
    """What is pointed at and what is said of it, in some ten seconds of speech.

    `target` is a CSS selector on the page of that title; what follows ` >>> ` is looked for inside the component there.
    """

    page: str
    target: str
    title: str
    text: str


MARKS = (
    Step(
        "Probe",
        ".st-key-edits",
        "The edit",
        "One word of this summary was changed, and the blame moved: the pilot requested the tug, he did not decline it. "
        "Change anything in the summary above, or choose Try an edit.",
    ),
    Step(
        "Probe",
        ".st-key-board >>> thead .shift",
        "The shift",
        "Before, after, and the difference. × noise compares it with harmless edits of the same size: within their grey band "
        "a metric has noticed nothing.",
    ),
    Step(
        "Probe",
        ".st-key-board >>> tbody .heat",
        "The evidence",
        "Each sentence has a score of its own. Select one, and the document shows what the metric read it against.",
    ),
    Step(
        "Probe",
        ".st-key-keep",
        "Keep it",
        "Keep pair saves both summaries with every score. Link opens just this edit for somebody else.",
    ),
)

STEPS = (
    Step(
        "Probe",
        ".st-key-document",
        "A document and its summary",
        "A freighter strikes a quay. The pilot had requested a second tug, and the harbour office refused it. A metric of "
        "factual consistency should tell whether a summary says the same.",
    ),
    Step(
        "Probe",
        ".st-key-edits",
        "One word, and the blame moves",
        "The edit makes “requested” into “declined”: now it was the pilot who did not want the tug. Anybody who has read the "
        "document sees it.",
    ),
    Step(
        "Probe",
        ".st-key-board >>> .verdict",
        "Who noticed?",
        "The verdict counts the metrics. A dot is blue where one noticed, orange where it moved the wrong way, grey where it "
        "stayed within the noise of harmless edits.",
    ),
    Step(
        "Probe",
        ".st-key-board >>> thead .noise",
        "A shift alone says little",
        "Paraphrases move every metric too. So each shift stands before the shifts of harmless edits of the same size: one "
        "inside the band is no sign that the lie was seen.",
    ),
    Step(
        "Probe",
        ".st-key-board >>> tbody .heat",
        "Where does a score come from?",
        "Select a cell, and the document shows the passage that the metric compared this sentence with. Often it found the "
        "right one, and still gave a high score.",
    ),
    Step(
        "Stress test",
        ".st-key-stress-matrix >>> table",
        "From one edit to many",
        "The same with every bundled summary and every kind of edit: harmless ones, which should move nothing, breaking ones, "
        "which should, and empty phrases that game a metric.",
    ),
    Step(
        "Stress test",
        ".st-key-stress-matrix >>> tbody tr",
        "What one metric misses",
        "Under its name: how many kinds of errors the metric misses, and how many harmless ones move it. Select a "
        "cell for its pairs, and a pair for Probe.",
    ),
    Step(
        "Evaluate",
        "[data-testid=stTabs]",
        "Which metric can be trusted?",
        "Against labels: how well each metric separates consistent summaries from others, with intervals by document, for each "
        "kind of error.",
    ),
    Step(
        "Evaluate",
        "[data-testid=stMain] [data-testid=stExpander]",
        "With your own data",
        "Import a labelled dataset here, score it under Data, and compare. Or label your own under Annotate. That was the tour: go back to "
        "Probe and break something.",
    ),
)

_QUERIES: Mapping[str, Mapping[str, str]] = {"Stress test": {"run": BUNDLED_RUN}, "Evaluate": {"dataset": PRECOMPUTED}}
"""What a step's page is opened with, so that it has something to show on a fresh install."""

_tour_component = register_component("tour")


@dataclass(eq=False)
class TourState:
    """A name for the tour that the address asked for; empty where it asked for none."""

    token: str = ""


def tour(shown: st.Page, pages: Mapping[str, list[st.Page]]) -> None:
    """Mount it; it draws nothing unless the address has `tour=1` or this is the first visit."""
    state = page_state(TourState)
    if st.query_params.pop("tour", "") == "1":
        state.token = uuid4().hex
    by_title = {page.title: page for group in pages.values() for page in group}
    marks = MARKS if shown.title == "Probe" and shows_opening_scene() else ()
    asked = _tour_component(
        key="tour",
        data={
            "token": state.token,
            "page": shown.title,
            "steps": [asdict(step) for step in STEPS if step.page in by_title],
            "marks": [asdict(step) for step in marks],
        },
        on_page_change=lambda: None,
    ).page
    if asked in by_title and asked != shown.title:
        st.switch_page(by_title[asked], query_params=dict(_QUERIES.get(asked, {})))
