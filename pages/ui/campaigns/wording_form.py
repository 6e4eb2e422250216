"""Questions and guidelines of a campaign, as forms."""

from __future__ import annotations

import re

import streamlit as st

from annotations.campaigns.questions import CampaignQuestion, QuestionSet, bundled_question_sets, read_questions
from annotations.store.records import RecordError
from pages.ui.campaigns.question_builder import question_builder
from pages.ui.shared.markup import escape_markdown, escape_message, safe_guidelines

_UNCHANGED, _UPLOADED, _DEFAULT_SET = "", "own", "label-summaries"
_LINE_WRAP = re.compile(r"\n(?!\n|\s*(?:[-*]|\d+\.)\s)[ ]*")
"""A line break inside a paragraph or list item."""


def question_choice(key: str, before: str = "", default: str = _DEFAULT_SET) -> str | None:
    """The YAML of a question set: as it was before, a ready-made one or one's own; None where it cannot be used yet.

    The ready-made one called `default` is offered first.
    """
    sets = {_UNCHANGED: before} | dict(bundled_question_sets()) if before else dict(bundled_question_sets())
    titles = {}
    for name, text in sets.items():
        questions = read_questions(text)
        titles[name] = questions.title if name else f"As before: {questions.title}"
    titles[_UPLOADED] = "My own, from a YAML file"
    names = list(titles)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        name = st.selectbox(
            "What is asked",
            names,
            index=names.index(_UNCHANGED if before else default),
            key=f"{key}-set",
            format_func=titles.__getitem__,
        )
    if name == _UPLOADED:
        file = st.file_uploader("Question set", type=["yaml", "yml"], key=f"{key}-own")
        if file is None:
            st.caption(
                "Choose a ready-made set, download it under Guidelines and questions, change it and upload it here."
            )
            return None
        try:
            text = file.getvalue().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            st.error(f"The file is no UTF-8 text: byte {error.start + 1} does not fit. Save it as UTF-8.")
            return None
    else:
        text = sets[name]
    try:
        read_questions(text)
    except RecordError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return None
    with row:
        return question_builder(key, text)


def wording_popover(key: str, questions: QuestionSet, text: str, before: str | None = None) -> str:
    """The guidelines, with the questions as annotators get them, behind a button."""
    box = st.popover("Guidelines and questions", icon=":material/menu_book:", key=f"{key}-wording")
    with box, st.container(key=f"wide-{key}-wording"):
        guidelines = guidelines_box(key, questions, before)
        _questions_preview(questions, text)
    return guidelines


def _questions_preview(questions: QuestionSet, text: str) -> None:
    with st.expander("Preview of the questions", icon=":material/quiz:"):
        for number, question in enumerate(questions.questions, start=1):
            conditions = " and ".join(f"{name} is {' or '.join(values)}" for name, values in question.when.items())
            st.text(f"{number}. {question.ask}{f'  (if {conditions})' if conditions else ''}")
            st.caption(escape_markdown(_format_kind(question)))
        st.caption(
            escape_markdown(f"Agreement, gold and qualification look at {questions.measure!r}. {questions.source}")
        )
        st.download_button("Download as YAML", lambda: text, f"{questions.name}.yaml", "text/yaml", on_click="ignore")


def guidelines_box(key: str, questions: QuestionSet, before: str | None = None) -> str:
    """The guidelines as Markdown, with what annotators will see of them beside."""
    paragraphs = questions.guidelines.strip().split("\n\n")
    # each on one line, as it is easiest to change
    unwrapped = "\n\n".join(_LINE_WRAP.sub(" ", paragraph) for paragraph in paragraphs)
    write, look = st.tabs(["Guidelines", "Preview"], key=f"{key}-guidelines-tabs")
    with write:
        text = st.text_area(
            "Guidelines (Markdown)",
            before if before is not None else unwrapped,
            height=240,
            key=f"{key}-guidelines-{questions.name}",
            label_visibility="collapsed",
            help="Every label is stored with the version of the guidelines under which it was given.",
        )
    with look, st.container(height=240):
        st.markdown(safe_guidelines(text) or "*No guidelines.*")
    return text


def _format_kind(question: CampaignQuestion) -> str:
    optional = "" if question.required else "optional; "
    match question.kind:
        case "choice" | "several":
            return f"{optional}{'one' if question.kind == 'choice' else 'any'} of: " + ", ".join(
                option.text for option in question.options
            )
        case "ranking" | "best-worst" | "soft":
            means = {"ranking": "order", "best-worst": "best and worst", "soft": "per cent of each"}
            return f"{optional}{means[question.kind]} of: " + ", ".join(option.text for option in question.options)
        case "scale" | "slider":
            return f"{optional}{question.low} to {question.high}"
        case "span":
            categories = (
                f", each one of: {', '.join(option.text for option in question.options)}" if question.options else ""
            )
            return f"{optional}passages of the {question.of}{categories}"
        case "link":
            return f"{optional}claims of the summary with the passages that decide them"
        case _:
            return f"{optional}{question.kind}"
