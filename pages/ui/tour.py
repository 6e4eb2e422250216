"""The tour of three pages, led by a presenter or running by itself, the lessons, and the four coach marks of a first visit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import uuid4

import streamlit as st

from core.types import PRECOMPUTED
from pages.server.docs import docs_address
from pages.ui.lessons import Step, after, opening_query, read_lessons
from pages.ui.probe.opening import leave_pair, shows_opening_scene
from pages.ui.results.run_choice import BUNDLED_RUN
from pages.ui.shared.grouped_views import TAB_PARAMETER, enter_view
from pages.ui.shared.markup import register_component
from pages.ui.shared.session_state import component_message, page_state

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
        "Before, after, and the difference. Times noise says how far it goes compared with what harmless edits do: below 1.0, in the "
        "grey band, a metric has noticed nothing.",
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
        "The pilot had requested a second tug, and the harbour office refused it. A metric of factual consistency should tell "
        "whether a summary says the same.",
    ),
    Step(
        "Probe",
        ".st-key-edits",
        "One word, and the blame moves",
        "The edit makes “requested” into “declined”: now the pilot did not want the tug. Anybody who has read the document sees it.",
    ),
    Step(
        "Probe",
        ".st-key-headline",
        "Who noticed?",
        "The headline counts the metrics. A chip is filled where one noticed, orange where it moved the wrong way, grey where "
        "it stayed within the noise.",
    ),
    Step(
        "Probe",
        ".st-key-board >>> thead .shift",
        "A shift alone says little",
        "Harmless edits move every metric too. So each shift stands before theirs: one inside the band is no sign that the lie "
        "was seen.",
    ),
    Step(
        "Probe",
        ".st-key-board >>> tbody .heat",
        "Where does a score come from?",
        "Select a cell, and the document shows the passage that the metric compared this sentence with.",
    ),
    Step(
        "Stress test",
        ".st-key-stress-matrix >>> table",
        "From one edit to many",
        "The same with every bundled summary: harmless edits, which should move nothing, breaking ones, which should, and "
        "phrases that game a metric.",
        query={"run": BUNDLED_RUN},
    ),
    Step(
        "Stress test",
        ".st-key-stress-matrix >>> tbody tr",
        "What one metric misses",
        "Under its name: how many kinds of errors it misses, and how many harmless ones move it. Select a cell for its pairs.",
    ),
    Step(
        "Evaluate",
        "[data-testid=stTabs]",
        "Which metric can be trusted?",
        "Against labels: how well each metric separates consistent summaries from others, with intervals, for each kind of error. "
        "Word support has a star (★): it learned from these texts.",
        query={"dataset": PRECOMPUTED},
    ),
    Step(
        "Evaluate",
        ".st-key-import-open",
        "With your own data",
        "Import a labelled dataset here and score it under Data, or label your own under Annotate. Now go back to Probe and break "
        "something.",
    ),
)

PLAYED_SECONDS = 60
"""Length of the tour that runs by itself, once the pages are loaded."""


def play_seconds(steps: Sequence[Step]) -> list[float]:
    """Seconds that each step is shown for where the tour runs by itself, in proportion to its words."""
    words = [len(f"{step.title} {step.text}".split()) for step in steps]
    return [PLAYED_SECONDS * count / sum(words) for count in words]


_tour_component = register_component("tour")


@dataclass(eq=False)
class TourState:
    """A name for what the address asked for, empty where it asked for nothing; the lesson, "" for the tour, which `plays` if it
    runs by itself.
    """

    token: str = ""
    lesson: str = ""
    plays: bool = False


def tour(shown: st.Page, pages: Mapping[str, list[st.Page]]) -> None:
    """Mount it; it draws nothing unless the address has `tour=1`, `tour=play` or `lesson=NAME`, or this is the first visit."""
    by_title = {page.title: page for group in pages.values() for page in group}
    lessons = {name: lesson for name, lesson in read_lessons().items() if lesson.pages <= by_title.keys()}
    state = page_state(TourState)
    if (mode := st.query_params.pop("tour", "")) in ("1", "play"):
        state.token, state.lesson, state.plays = uuid4().hex, "", mode == "play"
    if (lesson_name := st.query_params.pop("lesson", "")) in lessons:
        state.token, state.lesson, state.plays = uuid4().hex, lesson_name, False
        _open_step(lessons[lesson_name].steps, 0, shown, by_title)
    lesson = lessons.get(state.lesson)
    following = after(lessons, state.lesson)
    steps = lesson.steps if lesson else [step for step in STEPS if step.page in by_title]
    marks = MARKS if shown.title == "Probe" and shows_opening_scene() else ()
    request = _tour_component(
        key="tour",
        data={
            "token": state.token,
            "page": shown.title,
            "plays": state.plays,
            "lesson": state.lesson if lesson else "",
            "heading": lesson.title if lesson else "Tour",
            "chapter": docs_address(lesson.chapter) if lesson else "",
            "following": {"name": following, "title": lessons[following].title} if following else None,
            "steps": [_record(step, seconds) for step, seconds in zip(steps, play_seconds(steps), strict=True)],
            "marks": [_record(step, 0) for step in marks],
        },
        on_open_change=_follow_lesson,
    ).open
    if request and request["at"] is not None and request["at"] < len(steps):
        _open_step(steps, request["at"], shown, by_title)


def _record(step: Step, seconds: float) -> dict[str, object]:
    fields = asdict(step)
    return {**fields, "opens": bool(fields.pop("query")), "seconds": seconds}


def _follow_lesson() -> None:
    """The browser goes on with another lesson, or with the one from before the page was loaded again."""
    request = component_message("tour")["open"]
    page_state(TourState).lesson = request["lesson"] if isinstance(request, Mapping) else ""


def _open_step(steps: Sequence[Step], at: int, shown: st.Page, by_title: Mapping[str, st.Page]) -> None:
    """Go to the page of a step with what its steps before have opened there, unless just that is what is shown."""
    page, query = steps[at].page, opening_query(steps, at)
    opened = page == shown.title and st.query_params.to_dict() == query
    if opened or page not in by_title:
        return
    if page == "Probe":
        leave_pair()
    elif TAB_PARAMETER in query:
        enter_view(by_title[page].url_path, query[TAB_PARAMETER])
    st.switch_page(by_title[page], query_params=query)
