"""What a campaign asks: the question set, and the guidelines."""

from __future__ import annotations

import re
from collections.abc import Mapping

import streamlit as st

from annotations.campaigns.questions import Asked, QuestionSet, read_questions, ready_made
from annotations.errors import RecordError
from pages.ui.plain import plain, without_pictures

_BEFORE, _OWN, _USUAL = "", "own", "label-summaries"
_WRAP = re.compile(r"\n(?!\n|\s*(?:[-*]|\d+\.)\s)[ ]*")
"""A line break inside a paragraph or list item."""


def question_choice(key: str, before: str = "") -> str | None:
    """The YAML of a question set: as it was before, a ready-made one or one's own; None where it cannot be used yet."""
    sets = {_BEFORE: before} | dict(ready_made()) if before else dict(ready_made())
    names = [*sets, _OWN]
    name = st.selectbox(
        "Questions",
        names,
        index=names.index(_BEFORE if before else _USUAL),
        key=f"{key}-set",
        format_func=lambda name: _title(name, sets),
    )
    text = _uploaded(key) if name == _OWN else sets[name]
    if text is None:
        return None
    try:
        questions = read_questions(text)
    except RecordError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None
    _preview(questions, text)
    return text


def guidelines_box(key: str, questions: QuestionSet, before: str | None = None) -> str:
    """The guidelines as Markdown, with what annotators will see of them beside."""
    write, look = st.tabs(["Guidelines", "Preview"], key=f"{key}-guidelines-tabs")
    with write:
        text = st.text_area(
            "Guidelines (Markdown)",
            before if before is not None else _unwrapped(questions.guidelines),
            height=240,
            key=f"{key}-guidelines-{questions.name}",
            label_visibility="collapsed",
            help="Every label is stored with the version of the guidelines under which it was given.",
        )
    with look, st.container(height=240):
        st.markdown(without_pictures(text) or "*No guidelines.*")
    return text


def _unwrapped(text: str) -> str:
    """Each paragraph on one line, as it is easiest to change."""
    return "\n\n".join(_WRAP.sub(" ", paragraph) for paragraph in text.strip().split("\n\n"))


def _title(name: str, sets: Mapping[str, str]) -> str:
    if name == _OWN:
        return "My own, from a YAML file"
    questions = read_questions(sets[name])
    return f"{questions.title} ({questions.name})" if name else f"As before: {questions.title}"


def _uploaded(key: str) -> str | None:
    file = st.file_uploader("Question set", type=["yaml", "yml"], key=f"{key}-own")
    if file is None:
        st.caption("Choose a ready-made set, download it under What is asked, change it and upload it here.")
        return None
    try:
        return file.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        st.error(f"The file is no UTF-8 text: byte {error.start + 1} does not fit. Save it as UTF-8.")
        return None


def _preview(questions: QuestionSet, text: str) -> None:
    with st.expander("What is asked", icon=":material/quiz:"):
        for number, question in enumerate(questions.questions, start=1):
            st.text(f"{number}. {question.ask}{_condition(question)}")
            st.caption(plain(_kind(question)))
        st.caption(plain(f"Agreement, gold and qualification look at {questions.measure!r}. {questions.source}"))
        st.download_button("Download as YAML", lambda: text, f"{questions.name}.yaml", "text/yaml", on_click="ignore")


def _condition(question: Asked) -> str:
    told = [f"{name} is {' or '.join(values)}" for name, values in question.when.items()]
    return f"  (if {' and '.join(told)})" if told else ""


def _kind(question: Asked) -> str:
    must = "" if question.required else "optional; "
    match question.kind:
        case "choice" | "several":
            return f"{must}{'one' if question.kind == 'choice' else 'any'} of: " + ", ".join(
                option.text for option in question.options
            )
        case "scale":
            return f"{must}{question.low} to {question.high}"
        case "span":
            return f"{must}a passage of the {question.of}"
        case _:
            return f"{must}{question.kind}"
