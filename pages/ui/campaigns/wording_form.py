"""Questions and rules of a campaign, as forms: question set, guidelines, and rules."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from annotations.campaigns.campaign import CampaignRules, read_rules
from annotations.campaigns.questions import CampaignQuestion, QuestionSet, bundled_question_sets, read_questions
from annotations.store.records import RecordError
from pages.ui.shared.markup import escape_markdown, escape_message, safe_guidelines


@dataclass(frozen=True, slots=True)
class _NumberField:
    label: str
    low: int
    high: int | None = None
    help: str | None = None


_NUMBER_FIELDS = {
    "overlap": _NumberField("People per item", 1, 20, "At least two where the labels serve as ground truth."),
    "most_overlap": _NumberField(
        "People at most",
        0,
        20,
        "More people label an item while a model of annotators is not as sure of it as “Model sure, %” says; 0: never.",
    ),
    "pass_right": _NumberField("Right to pass", 0, None, "Right answers of the qualification; 0 lets everybody in."),
    "gold_every": _NumberField("Gold: one in", 0, None, "One item in this many has a known answer; 0: none."),
    "repeat_every": _NumberField(
        "Repeat: one in", 0, None, "One item in this many is a repeat of one at least ten items before; 0: none."
    ),
    "calibration": _NumberField(
        "First items by all", 0, 500, "A calibration round: everybody labels these first; 0: none."
    ),
    "most_per_person": _NumberField("Most per person", 0, None, "Items of work that one person gets; 0: no limit."),
    "sure": _NumberField("Model sure, %", 50, 99, "Of a final label by a model, and to ask nobody more."),
    "expires_minutes": _NumberField(
        "Minutes to answer", 1, None, "After that an unanswered item goes to another person."
    ),
    "apart": _NumberField("Items apart", 0, 50, "Two versions of one text are this far from each other,"),
    "apart_minutes": _NumberField("or minutes apart", 0, None, "… or after so many minutes."),
    "seed": _NumberField("Seed of the order", 0, None, "Everybody has an order and sides of their own, made from it."),
}
_LIMIT_FIELDS = {
    "least_gold": _NumberField(
        "Known right, %",
        0,
        99,
        "Of the gold items; most of a person's first seven are gold then, so that it is known early. 0: no limit.",
    ),
    "least_repeats": _NumberField("Repeats the same, %", 0, 99, "Of the items that came a second time. 0: no limit."),
    "least_seconds": _NumberField(
        "Seconds a label", 0, 600, "Half of the labels must take so long, reading and typing. 0: no limit."
    ),
    "least_variety": _NumberField(
        "Variety, %", 0, 99, "Of how often others give another answer than the person's commonest one. 0: no limit."
    ),
}
_MODES = {
    "unaided": "None",
    "pre-annotated": "Answers that are filled in under Items",
    "assisted": "Document sentences closest to the summary marked",
}
_ORDERS = {
    "random": "Random, another one for each person",
    "disagreement": "Those that metrics disagree on most first",
}
_DRAWN_ORDER = {"drawn": "As they were drawn from the pool"}
_RESOLVE_METHODS = {
    "majority": "Majority of the labels",
    "dawid-skene": "Model of annotators: Dawid and Skene",
    "mace": "Model of annotators: MACE",
}
_ALWAYS_SHOWN = ("overlap", "most_overlap", "calibration", "pass_right", "gold_every", "repeat_every")


def rules_form(key: str, before: CampaignRules, others: Sequence[str] = ()) -> CampaignRules | None:
    """The rules; None, with a message, where they contradict each other. `others` are the campaigns that it may be closed to."""
    values: dict[str, object] = {"shown_columns": before.shown_columns}
    with st.container(horizontal=True):
        values |= {name: _number_input(name, key, before) for name in _ALWAYS_SHOWN}
    values["calibration_pause"] = st.toggle(
        "Wait after the calibration round",
        before.calibration_pause,
        key=f"{key}-calibration-pause",
        help="Nothing more is handed out until you issue a version without this, for example with clearer guidelines.",
    )
    values["reveal"] = st.toggle(
        "Show the scores after the blind label and ask again",
        before.reveal,
        key=f"{key}-reveal",
        help="The second answer is kept beside the first; agreement counts the first.",
    )
    with st.expander("Limits of each person", icon=":material/speed:"):
        with st.container(horizontal=True):
            values |= {name: _number_input(name, key, before) for name in _LIMIT_FIELDS}
        st.caption(
            "Who falls short of one is warned, then paused: where somebody who keeps to it would be paused in one case of twenty "
            "at most, however often it is looked at. You see both on Progress, and let people go on there."
        )
    with st.expander("More rules", icon=":material/tune:"):
        values |= _more_rules(key, before, others)
    try:
        return read_rules(json.dumps(values))
    except RecordError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return None


def _more_rules(key: str, before: CampaignRules, others: Sequence[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    with st.container(horizontal=True):
        values |= {name: _number_input(name, key, before) for name in _NUMBER_FIELDS if name not in _ALWAYS_SHOWN}
    values["early_overlap"] = st.toggle(
        "Overlap early",
        before.early_overlap,
        key=f"{key}-early-overlap",
        help="What somebody labelled goes to the next person first, so that agreement is known early; else every item "
        "is labelled once before any is labelled twice.",
    )
    values["skills"] = st.toggle(
        "Items may ask for a skill",
        before.skills,
        key=f"{key}-skills",
        help="An item that asks for one, such as a language, goes only to people in the group of that name; see People.",
    )
    values["grants"] = st.text_input(
        "Who passes the qualification joins the group",
        before.grants,
        key=f"{key}-grants",
        width=420,
        max_chars=80,
        help="A skill that is earned here, also for other campaigns. Empty: none.",
    ).strip()
    values["mode"] = _choice(
        "Help while labelling",
        _MODES,
        before.mode,
        key=f"{key}-mode",
        help="It is kept and exported with every label, and Agreement says how many were given with help.",
    )
    values["order"] = _choice(
        "Order of the items",
        _DRAWN_ORDER if before.order == "drawn" else _ORDERS,
        before.order,
        key=f"{key}-order",
        help="By the spread of the ranks that metrics give to the items by their stored scores, of a pair by the shift. "
        "Annotators are not told; agreement and exports say so.",
    )
    if before.order == "drawn":
        values["stop_points"] = st.number_input(
            "Stop at ± points",
            0.0,
            49.0,
            before.stop_points,
            step=0.5,
            key=f"{key}-stop-{before.stop_points}",
            width=160,
            help="Nothing more is handed out once the interval of the rate is so narrow; fewer points let it go on. 0: no stop.",
        )
    values["resolve"] = _choice(
        "Final label where people differ",
        _RESOLVE_METHODS,
        before.resolve,
        key=f"{key}-resolve",
        help="Where nobody adjudicates. A model gives each person weight by how often they are right, as far as all labels and the "
        "gold items tell, and leaves open what it is not sure of.",
    )
    deadline = st.date_input(
        "Last day",
        before.deadline,
        key=f"{key}-deadline-{before.deadline}",
        width=160,
        help="Nothing is handed out after this day (UTC). Empty: no deadline.",
    )
    values["deadline"] = deadline.isoformat() if deadline else None
    values["closed_to"] = st.multiselect(
        "Closed to who sat the qualification of",
        sorted({*others, *before.closed_to}),
        before.closed_to,
        key=f"{key}-closed-to",
        help="As in BUMP, whose annotators of one task did not work on the other.",
    )
    return values


def _choice(label: str, options: Mapping[str, str], before: str, *, key: str, help: str) -> str:
    names = list(options)
    return st.selectbox(
        label,
        names,
        names.index(before),
        key=f"{key}-{before}",
        format_func=options.__getitem__,
        width=420,
        help=help,
    )


def usual_pass_mark(qualifying: int) -> int:
    """Four fifths of a qualification, as is usual: 6 of 7, 4 of 4 (BUMP, Ma et al. 2023) are above it."""
    return -(-4 * qualifying // 5)


def _number_input(name: str, key: str, before: CampaignRules) -> int:
    value: int = getattr(before, name)
    rule = (_NUMBER_FIELDS | _LIMIT_FIELDS)[name]
    return st.number_input(
        rule.label, rule.low, rule.high, value, key=f"{key}-{name}-{value}", help=rule.help, width=128
    )


_UNCHANGED, _UPLOADED, _DEFAULT_SET = "", "own", "label-summaries"
_LINE_WRAP = re.compile(r"\n(?!\n|\s*(?:[-*]|\d+\.)\s)[ ]*")
"""A line break inside a paragraph or list item."""


def question_choice(key: str, before: str = "") -> str | None:
    """The YAML of a question set: as it was before, a ready-made one or one's own; None where it cannot be used yet."""
    sets = {_UNCHANGED: before} | dict(bundled_question_sets()) if before else dict(bundled_question_sets())
    titles = {}
    for name, text in sets.items():
        questions = read_questions(text)
        titles[name] = f"{questions.title} ({questions.name})" if name else f"As before: {questions.title}"
    titles[_UPLOADED] = "My own, from a YAML file"
    names = list(titles)
    name = st.selectbox(
        "Questions",
        names,
        index=names.index(_UNCHANGED if before else _DEFAULT_SET),
        key=f"{key}-set",
        format_func=titles.__getitem__,
    )
    if name == _UPLOADED:
        file = st.file_uploader("Question set", type=["yaml", "yml"], key=f"{key}-own")
        if file is None:
            st.caption(
                "Choose a ready-made set, download it under Preview of the questions, change it and upload it here."
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
        questions = read_questions(text)
    except RecordError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return None

    with st.expander("Preview of the questions", icon=":material/quiz:"):
        for number, question in enumerate(questions.questions, start=1):
            conditions = " and ".join(f"{name} is {' or '.join(values)}" for name, values in question.when.items())
            st.text(f"{number}. {question.ask}{f'  (if {conditions})' if conditions else ''}")
            st.caption(escape_markdown(_format_kind(question)))
        st.caption(
            escape_markdown(f"Agreement, gold and qualification look at {questions.measure!r}. {questions.source}")
        )
        st.download_button("Download as YAML", lambda: text, f"{questions.name}.yaml", "text/yaml", on_click="ignore")

    return text


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
            return f"{optional}a passage of the {question.of}"
        case "link":
            return f"{optional}claims of the summary with the passages that decide them"
        case _:
            return f"{optional}{question.kind}"
