"""Items whose answers are known: picked from the list, or read from a file."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from annotations.campaigns.campaign import NewTask, TaskPart
from annotations.campaigns.questions import CampaignQuestion, QuestionSet
from annotations.management.candidates import (
    KNOWN_TASK_FIELDS,
    Candidate,
    likely_answer,
    parse_known_task,
    ready_known_tasks,
    tasks_for_candidate,
)
from core.data import file_rows
from core.errors import TouchstoneError
from pages.ui.shared.markup import escape_message
from pages.ui.shared.session_user import current_member

_MAX_LISTED = 300
_MAX_REFUSALS = 20
_PART_MEANINGS = {
    "training": "shown first, with feedback",
    "qualification": "decides who goes on",
    "gold": "mixed in unseen",
}


def known_answers(candidates: Sequence[Candidate], questions: QuestionSet, key: str) -> dict[str, NewTask]:
    """The tasks with known answers, by the name of the item; those of a file by its line."""
    with st.expander("Training, qualification and gold", icon=":material/verified:"):
        st.caption(" · ".join(f"**{part}** {meaning}" for part, meaning in _PART_MEANINGS.items()))

        tasks = ready_known_tasks(questions, current_member().name)
        ready: dict[str, NewTask] = {}
        if tasks:
            parts: list[TaskPart] = ["training", "qualification"]  # both would let people know the latter by heart
            part = st.segmented_control(
                f"Use the {len(tasks)} ready items as",
                parts,
                key=f"{key}-ready-{questions.name}",
                help="Texts of our own with an explanation of each answer, as many as in BUMP: seven pairs, of which six must be "
                "right in a qualification, or four summaries, all of them.",
            )
            if part:
                ready = {f"ready {number}": replace(task, part=part) for number, task in enumerate(tasks, start=1)}

        picked = _pick_in_table(candidates, questions, key) if candidates else {}
        return ready | picked | _tasks_of_file(questions, key)


def _pick_in_table(candidates: Sequence[Candidate], questions: QuestionSet, key: str) -> dict[str, NewTask]:
    import pandas as pd

    shown = candidates[:_MAX_LISTED]
    names = hash(tuple(candidate.name for candidate in shown))
    candidate_frame = pd.DataFrame(
        {
            "part": pd.Series([None] * len(shown), dtype="string"),
            "answer": pd.Series([likely_answer(candidate, questions) or None for candidate in shown], dtype="string"),
            "item": [candidate.title or candidate.name for candidate in shown],
            "summary": [candidate.summary for candidate in shown],
            "feedback": [" ".join(reason.text for reason in candidate.explanations[:1]) for candidate in shown],
        }
    )

    question = questions.by_id[questions.measure]
    column = st.column_config
    column_config = {
        "part": column.SelectboxColumn("use as", options=list(_PART_MEANINGS), width=110),
        "answer": column.SelectboxColumn(
            "right answer", options=[*map(str, _possible_answers(question))], width=120, help=question.ask
        ),
        "feedback": column.TextColumn("feedback", width="large", help="Shown after a training item."),
        "item": column.TextColumn(width="medium"),
        "summary": column.TextColumn(width="large"),
    }
    edited = st.data_editor(
        candidate_frame,
        key=f"{key}-known-{questions.name}-{names}",
        hide_index=True,
        height=290,
        disabled=["item", "summary"],
        column_config=column_config,
        placeholder="",
    )
    if questions.unit == "pair":
        st.caption("right is the edited summary, left the one before; people see them in either order.")
    if len(shown) < len(candidates):
        st.caption(f"The first {len(shown)} of {len(candidates)} are listed. Filter them, or use a file.")

    tasks: dict[str, NewTask] = {}
    for candidate, line in zip(shown, edited.to_dict("records"), strict=True):
        if pd.isna(line["part"]) or pd.isna(line["answer"]):
            continue  # it is not used
        answer = next(option for option in _possible_answers(question) if str(option) == line["answer"])
        task = tasks_for_candidate(candidate, questions, part=line["part"])[0]
        feedback = "" if pd.isna(line["feedback"]) else line["feedback"]
        tasks[candidate.name] = replace(task, key={question.id: answer}, feedback=feedback)
    return tasks


def _possible_answers(question: CampaignQuestion) -> list[str | int]:
    return list(range(question.low, question.high + 1)) if question.kind == "scale" else list(question.values)


def _tasks_of_file(questions: QuestionSet, key: str) -> dict[str, NewTask]:
    file = st.file_uploader(
        "Or from a file (JSONL or CSV)",
        type=["jsonl", "json", "csv", "tsv"],
        key=f"{key}-known-file",
        help=f"Fields: {', '.join(KNOWN_TASK_FIELDS)}. A table has a column answers.{questions.measure} and the like.",
    )
    if file is None:
        return {}
    try:
        data = file.getvalue()
        tasks: dict[str, NewTask] = {}
        refused: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "known").with_suffix(Path(file.name).suffix)
            path.write_bytes(data)
            for number, row in file_rows(path):
                if isinstance(row, str):
                    refused.append(f"Line {number}: {row}")
                    continue
                try:
                    tasks[f"line {number}"] = parse_known_task(row, questions, current_member().name)
                except TouchstoneError as error:
                    refused.append(f"Line {number}: {error}")
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return {}
    st.caption(f"{len(tasks)} items read from the file, {len(refused)} refused.")
    if refused:
        st.text("\n".join(refused[:_MAX_REFUSALS]))
    return tasks
