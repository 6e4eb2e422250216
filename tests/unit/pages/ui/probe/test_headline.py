"""The head of Probe on a board: a sentence, and a chip for each metric."""

from __future__ import annotations

import pytest

from core.results.runs.null_bands import NullBand
from core.types import ErrorType, Intention, Verdict
from pages.ui.probe.board_rows import Board, BoardRow, Noise, RowState
from pages.ui.probe.headline import headline_chips, headline_sentence
from pages.ui.shared.terms import page_head

BAND = Noise(NullBand(-0.1, 0.1, 0.05, 30))
REVERSED = Intention(Verdict.INCONSISTENT, ErrorType.INTRINSIC_PREDICATE)


def row(after: float | None, noise: Noise = BAND, state: RowState = "ready", family: str = "Overlap") -> BoardRow:
    return BoardRow("m", "Metric", family, state=state, before=0.5, after=after, low=0.0, high=1.0, noise=noise)


def board(*rows: BoardRow, meant: Intention = REVERSED) -> Board:
    return Board(rows, ("It rained.",), meant=meant)


@pytest.mark.parametrize(
    ("meant", "words"),
    [
        (REVERSED, ["✓ noticed", "✕ wrong way", "– missed", "? unknown"]),
        (Intention(Verdict.CONSISTENT), ["✕ moved", "✕ moved", "– held still", "? unknown"]),
    ],
)
def test_a_chip_says_how_its_metric_reacted_to_what_the_edit_was_meant_to_do(
    meant: Intention, words: list[str]
) -> None:
    rows = (row(0.45), row(0.3), row(0.7), row(0.3, Noise(NullBand(None, None, None, 3))))
    assert [f"{chip.sign} {chip.word}" for chip in headline_chips(board(*rows, meant=meant))] == words


def test_a_metric_that_is_being_measured_has_its_chip_already_and_a_surface_statistic_has_none() -> None:
    rows = (row(None, Noise(), "running"), row(0.3, Noise(words="measuring")), row(0.3, family="Surface"))
    assert [chip.sign for chip in headline_chips(board(*rows))] == ["…", "…"]


def test_the_sentence_is_a_verdict_once_all_metrics_have_come_and_says_until_then_what_is_to_come() -> None:
    coming, unmeasured = row(None, Noise(), "running"), row(0.3, Noise(words="measuring"))
    assert headline_sentence(board(coming, coming), edited=True) == "You reversed a fact. Measuring 2 metrics …"
    under_way = board(coming, row(0.3), unmeasured, row(0.3, family="Surface"))
    assert headline_sentence(under_way, edited=True) == "You reversed a fact. 1 noticed so far, 2 to come."
    harmless = board(coming, row(0.5), meant=Intention(Verdict.CONSISTENT))
    assert headline_sentence(harmless, edited=True) == "You changed nothing of substance. 0 moved so far, 1 to come."
    assert headline_sentence(board(row(0.3)), edited=True) == "You reversed a fact. 1 of 1 metric noticed."


def test_the_sentence_asks_for_an_edit_where_there_is_none() -> None:
    assert headline_sentence(board(row(0.5, Noise())), edited=False).startswith("Change a word")


def test_the_title_of_a_metric_is_shown_as_text() -> None:
    chips = headline_chips(Board((BoardRow("m", "<b onclick=x>", "Overlap"),), ()))
    assert "&lt;b onclick=x&gt;" in page_head(
        "headline.html", "", "guides/probe", sentence="", chips=chips, intended=""
    )
