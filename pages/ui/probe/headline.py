"""The head of Probe: the verdict on the edit as the heading of the page, and a chip for each metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

from core.data import bundled_items
from core.results import edit_effect
from core.stats import Move
from core.types import Verdict
from pages.ui.probe.blind_labels import hides_scores
from pages.ui.probe.board_rows import Board, board_verdict, is_to_come, shift_move
from pages.ui.probe.pair import current_edits, current_pair
from pages.ui.shared.terms import page_head

_SIGNS: Mapping[str, str] = MappingProxyType({Move.RIGHT: "✓", Move.WRONG: "✕", Move.STILL: "–", Move.UNKNOWN: "?"})
_WORDS_IF_BROKEN: Mapping[Move, str] = MappingProxyType(
    {Move.RIGHT: "noticed", Move.WRONG: "wrong way", Move.STILL: "missed", Move.UNKNOWN: "unknown"}
)
_WORDS_IF_KEPT: Mapping[Move, str] = MappingProxyType(
    {Move.WRONG: "moved", Move.STILL: "held still", Move.UNKNOWN: "unknown"}
)
_STATES: Mapping[str, str] = MappingProxyType({"waiting": "not scored", "ready": ""})


@dataclass(frozen=True, slots=True)
class Chip:
    """A metric with its reaction in a word and a sign; `move` is empty before there is one."""

    title: str
    word: str
    sign: str
    move: str


def edit_headline() -> Callable[[Board], None]:
    """Name the pair in the title of the tab; the function that is returned draws the head for a board, as often as wished."""
    pair, edited, blind = current_pair(), bool(current_edits()), hides_scores()
    # a bundled variant has a title of its own, and the list of examples that of its original
    title = next((item.title for item in bundled_items() if item.example.id == pair.example), pair.title)
    st.set_page_config(page_title=" · ".join(filter(None, ["Probe", title, "Touchstone"])))
    slot: list[st.delta_generator.DeltaGenerator] = []
    place = st.container(key="headline")

    def draw(board: Board) -> None:
        page = page_head(
            "headline.html",
            "Probe: edit a summary and see which metrics notice, beyond their noise band.",
            "guides/probe",
            sentence="The scores are hidden while you label." if blind else headline_sentence(board, edited=edited),
            chips=[] if blind else headline_chips(board),
            intended=board.meant.verdict if edited and board.meant.verdict else "",
        )
        # the element that is there takes the new text: an emptied place would let the page jump
        slot[:] = [(slot[0] if slot else place).html(page)]

    return draw


def headline_sentence(board: Board, *, edited: bool) -> str:
    """The verdict; before there is one, what is waited for or what to do."""
    if not edited:
        return "Change a word of the summary: which metrics notice?"
    rows = [row for row in board.rows if not row.is_surface]
    coming = sum(map(is_to_come, rows))
    if verdict := board_verdict(board):
        return verdict
    metrics = f"{coming} metric{'' if coming == 1 else 's'}"
    return f"{edit_effect(board.meant)} {f'Measuring {metrics} …' if coming else 'No metric has scored it.'}".strip()


def headline_chips(board: Board) -> list[Chip]:
    """A chip for each metric that tells consistent from inconsistent, those that moved first, else in the order of the board."""
    preserving = board.meant.verdict is Verdict.CONSISTENT
    words = _WORDS_IF_KEPT if preserving else _WORDS_IF_BROKEN
    chips = []
    for row in board.rows:
        if row.is_surface:
            continue
        move = shift_move(row, preserving=preserving)
        if is_to_come(row):
            chips.append(Chip(row.title, "", "…", ""))
        elif move is None:
            chips.append(Chip(row.title, _STATES.get(row.state, row.state), "·", ""))
        else:
            chips.append(Chip(row.title, words.get(move, "no better side"), _SIGNS.get(move, "·"), move.value))
    return sorted(chips, key=lambda chip: chip.move not in (Move.RIGHT, Move.WRONG))
