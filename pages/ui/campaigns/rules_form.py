"""Rules of a campaign as a form behind a button, each with the items and people that it touches."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from annotations.campaigns.campaign import CampaignRules, read_rules
from annotations.store.records import RecordError
from pages.ui.shared.markup import escape_message


@dataclass(frozen=True, slots=True)
class _NumberField:
    label: str
    low: int
    high: int | None = None
    help: str | None = None


_NUMBER_FIELDS = {
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
_ALWAYS_SHOWN = ("most_overlap", "calibration", "pass_right", "gold_every", "repeat_every")


def overlap_field(key: str, before: CampaignRules) -> int:
    """The number of people who label each item."""
    return st.number_input("People per item", 1, 20, before.overlap, key=f"{key}-overlap-{before.overlap}", width=104)


def rules_form(key: str, before: CampaignRules, overlap: int, others: Sequence[str] = ()) -> CampaignRules | None:
    """The rules besides the overlap; None, with a message, where they contradict each other.

    `others` are the campaigns that it may be closed to.
    """
    values: dict[str, object] = {
        "shown_columns": before.shown_columns,
        "overlap": overlap,
        "template": before.template,
    }
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
    values["check_code"] = st.toggle(
        "Ask for a code that stands in the guidelines",
        before.check_code,
        key=f"{key}-check-code-{before.check_code}",
        help="Once in each session, before the first item, as BUMP (Ma et al. 2023) did, so that the guidelines are read.",
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


def reach_lines(reach: Mapping[str, str]) -> None:
    """A line for each rule that is on, with what it touches."""
    if reach:
        st.caption("\n".join(f"- **{_RULE_TITLES[name]}:** {sentence}" for name, sentence in reach.items()))


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
        key=f"{key}-skills-{before.skills}",
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


_RULE_TITLES = {
    **{name: field.label for name, field in _NUMBER_FIELDS.items()},
    "overlap": "People per item",
    "limits": "Limits of each person",
}
