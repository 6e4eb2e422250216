"""The rules of a campaign as a form: who gets what, how often, and who may go on."""

from __future__ import annotations

import json
from dataclasses import dataclass

import streamlit as st

from annotations.campaigns.rules import Rules, read_rules
from annotations.errors import RecordError
from pages.ui.plain import plain


@dataclass(frozen=True, slots=True)
class _Number:
    label: str
    low: int
    high: int | None = None
    help: str | None = None


_NUMBERS = {
    "overlap": _Number("People per item", 1, 20, "Two at least, where the labels are to be used as truth."),
    "pass_right": _Number("Right to pass", 0, None, "Right answers of the qualification; 0 lets everybody in."),
    "gold_every": _Number("Gold: one in", 0, None, "One item of so many has a known answer; 0: none."),
    "repeat_every": _Number(
        "Repeat: one in", 0, None, "One item of so many was had at least ten items before; 0: none."
    ),
    "expires_minutes": _Number("Minutes to answer", 1, None, "After them an unanswered item goes to somebody else."),
    "apart": _Number("Items apart", 0, 50, "Two versions of one text come so far from each other,"),
    "apart_minutes": _Number("or minutes apart", 0, None, "… or after so many minutes."),
    "seed": _Number("Seed of the order", 0, None, "Everybody has an order and sides of their own, made from it."),
}
_FIRST = ("overlap", "pass_right", "gold_every", "repeat_every")


def rules_form(key: str, before: Rules) -> Rules | None:
    """The rules; None where they contradict each other, which is said."""
    told: dict[str, object] = {}
    with st.container(horizontal=True):
        told |= {name: _number(name, key, before) for name in _FIRST}
    told["reveal"] = st.toggle(
        "Show the scores after the blind label and ask again",
        before.reveal,
        key=f"{key}-reveal",
        help="The second answer is kept beside the first; agreement counts the first.",
    )
    with st.expander("More rules", icon=":material/tune:"), st.container(horizontal=True):
        told |= {name: _number(name, key, before) for name in _NUMBERS if name not in _FIRST}
    try:
        return read_rules(json.dumps(told))
    except RecordError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


def passing(qualifying: int) -> int:
    """Four fifths of a qualification, as is usual: 6 of 7, 4 of 4 (BUMP, Ma et al. 2023) lie above it."""
    return -(-4 * qualifying // 5)


def _number(name: str, key: str, before: Rules) -> int:
    value: int = getattr(before, name)
    rule = _NUMBERS[name]
    return st.number_input(
        rule.label, rule.low, rule.high, value, key=f"{key}-{name}-{value}", help=rule.help, width=128
    )
