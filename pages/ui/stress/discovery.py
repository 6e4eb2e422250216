"""Phrases that a metric likes, found in the summaries that it scores best, each with a button that tries it."""

from __future__ import annotations

import streamlit as st

from annotations.records import RunRow
from core.errors import UnscorableError
from core.stress.discovery import Bigram, Discovery, discovered
from core.stress.records import Run
from pages.ui.plain import plain
from pages.ui.stress.matrix import metric_title
from pages.ui.stress.playing import try_button

_MOST = 8
_WIDTHS = (2, 1, 1, 4)  # of the columns: phrase, two counts, button


def discovery(row: RunRow, run: Run, metric: str) -> None:
    """The bigrams that mark the best-scored fifth of the original summaries of a run."""
    st.subheader(plain(f"Phrases that {metric_title(metric)} may like"))
    try:
        found = _discovered(row.id, row.lines, metric, run)
    except UnscorableError as error:
        st.info(plain(str(error)))
        return
    st.caption(
        f"Two words in a row that mark the {found.best} best-scored of {found.scored} summaries, by TF-IDF against the others. "
        "In few summaries these are their topics: a dataset of hundreds shows habits of wording."
    )
    if not found.bigrams:
        st.info("No two of the best-scored summaries share two words in a row that the others have less of.")
        return
    for column, head in zip(st.columns(_WIDTHS), ("Phrase", "In the best fifth", "In the others", ""), strict=True):
        column.caption(head)
    for bigram in found.bigrams:
        _offer(run, found, bigram)


@st.cache_resource(max_entries=32, show_spinner="Looking for phrases…")
def _discovered(id: str, lines: int, metric: str, _run: Run) -> Discovery:  # noqa: ARG001  # what tells runs apart is the key
    return discovered(_run, metric, _MOST)


def _offer(run: Run, found: Discovery, bigram: Bigram) -> None:
    phrase, best, others, button = st.columns(_WIDTHS, vertical_alignment="center")
    phrase.text(bigram.text)
    best.text(f"{bigram.best} of {found.best}")
    others.text(f"{bigram.others} of {found.scored - found.best}")
    with button:
        try_button(run, bigram.text, f"Try “{bigram.text}”")
