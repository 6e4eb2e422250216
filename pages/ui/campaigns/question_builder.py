"""The questions of a set changed in a table, tried in the labeller itself, and saved as YAML."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from annotations.campaigns.qualification import Stage
from annotations.campaigns.question_rows import COLUMNS, rows_of_questions, set_of_rows
from annotations.campaigns.questions import QuestionKind, QuestionSet, read_questions
from annotations.campaigns.task_texts import ShownTask
from annotations.store.records import RecordError
from pages.ui.annotate.labeller import TaskView, show_questions
from pages.ui.shared.markup import escape_message

_TRIED = "tried-questions"
_DOCUMENT = (
    "The ferry Alma left the harbour at nine with forty crates of apples.\nHer captain had asked for a pilot, and the "
    "harbour office sent none.\nShe reached the island before noon, and the crates were sold by evening."
)
_ORIGINAL, _EDITED = (
    "The ferry left at nine with forty crates of apples.",
    "The ferry left at ten with forty crates of apples.",
)


def question_builder(key: str, text: str) -> str | None:
    """The set of a YAML text as it is changed here: the text itself where nothing is; None where it cannot be used yet."""
    base = read_questions(text)
    key = f"{key}-builder-{base.name}"
    box = st.popover("Change", icon=":material/edit:", key=f"{key}-popover", on_change="rerun")
    if box.open:
        st.session_state[f"{key}-used"] = True
    if not st.session_state.get(f"{key}-used"):
        return text
    with box, st.container(key=f"wide-{key}"):
        changed = _changed_set(base, text, key)
    if tried := st.session_state.get(_TRIED):
        _preview_dialog(read_questions(tried))
    return changed


def _try(text: str = "") -> None:
    st.session_state[_TRIED] = text


def _changed_set(base: QuestionSet, text: str, key: str) -> str | None:
    import pandas as pd

    title = st.text_input("Title", base.title, key=f"{key}-title")
    config = st.column_config
    rows = st.data_editor(
        pd.DataFrame(rows_of_questions(base), columns=list(COLUMNS)),
        key=f"{key}-rows",
        num_rows="dynamic",
        hide_index=True,
        column_config={
            "ask": config.TextColumn(width="large", required=True),
            "kind": config.SelectboxColumn(options=list(get_args(QuestionKind)), required=True),
            "options": config.TextColumn(width="large", help="value = text | value = text"),
            "of": config.SelectboxColumn(options=["document", "summary"], help="The text in which a span is marked."),
            "when": config.TextColumn(help="Asked only after these answers: question = value, value; question = value"),
            "ordered": config.CheckboxColumn(help="Agreement counts the distance between options."),
        },
    ).to_dict("records")
    measurable = [row["id"] for row in rows if row["kind"] in {"choice", "scale"} and row["id"]]
    measure = st.selectbox(
        "Agreement, gold and qualification look at",
        measurable,
        index=measurable.index(base.measure) if base.measure in measurable else 0,
        key=f"{key}-measure-{hash(tuple(measurable))}",
    )
    is_same = rows_of_questions(base) == [{name: row[name] for name in COLUMNS} for row in rows]
    if is_same and (title, measure) == (base.title, base.measure):
        changed = text
    else:
        try:
            changed = set_of_rows(base, rows, title, measure or "")
        except RecordError as error:
            st.error(escape_message(str(error)), icon=":material/error:")
            return None
    with st.container(horizontal=True):
        # the table is hidden once the dialog is open, which runs the page again
        st.button("Try it", icon=":material/play_arrow:", key=f"{key}-try", on_click=_try, args=(changed,))
        st.download_button(
            "Save as YAML",
            lambda: changed,
            f"{read_questions(changed).name}.yaml",
            "text/yaml",
            key=f"{key}-yaml",
            icon=":material/download:",
            on_click="ignore",
        )
    return changed


# keys are the page's while a dialog is open: the mouse answers here
@st.dialog("As annotators see it", width="large", on_dismiss=_try)
def _preview_dialog(questions: QuestionSet) -> None:
    is_summary = questions.unit == "summary"
    task = ShownTask(
        document=_DOCUMENT,
        left=_EDITED if is_summary else _ORIGINAL,
        right=None if is_summary else _EDITED,
        explanation="It left at nine, not at ten." if questions.unit == "explanation" else "",
        error_type="Extrinsic Circumstance" if questions.required_type else "",
        reservation=0,
        number=1,
        stage=Stage.WORK,
        answers={},
    )
    st.caption("Nothing is kept. Annotators answer by keys too.")
    show_questions(TaskView(task, questions, "work", "Item 1", "preview"))
