"""The columns of an uploaded table: its first rows, a guess at what they hold, and a person's corrections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.dataset import Refusal
from core.datasets.generic import preview, read_by
from core.datasets.reading.guessing import guess
from core.datasets.reading.mapping import ColumnMap, ScoreColumn
from core.errors import TouchstoneError
from core.types import Item
from pages.ui.plain import plain

_SINGLE = {
    "document": "Document",
    "summary": "Summary",
    "edited": "Edited summary",
    "label": "Label",
    "error_type": "Error type",
    "group": "Which document (group)",
    "id": "Id",
    "system": "Written by (system)",
    "split": "Split",
    "domain": "Domain",
}
_ROWS = 5


def mapping_form(source: Path) -> Callable[[], Iterator[Item | Refusal]] | None:
    """What reads the table as it was mapped; None where it cannot be read, which is said."""
    try:
        rows = preview(source)
        guessed = guess(rows)
    except TouchstoneError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None
    st.dataframe(pd.DataFrame(rows[:_ROWS]).astype(str), hide_index=True, height="auto", alt="The first rows")
    columns = list(dict.fromkeys(name for row in rows for name in row if name))
    mapped = _corrected(columns, guessed, source.name)
    if not mapped.summary:
        st.caption("Choose the column that holds the summary.")
        return None
    st.download_button(
        "Save this mapping",
        mapped.to_json,
        "mapping.json",
        on_click="ignore",
        icon=":material/save:",
        help="In the terminal: cli.py import 'generic[mapping=mapping.json]' FILE",
    )
    return partial(read_by, source, mapped)


def _corrected(columns: Sequence[str], guessed: ColumnMap, file: str) -> ColumnMap:
    """The guess with what was chosen instead."""
    values: dict[str, Any] = {}
    grid = st.columns(2)
    for place, (field, title) in enumerate(_SINGLE.items()):
        with grid[place % 2]:
            values[field] = _column(field, title, columns, getattr(guessed, field), file)
    annotators = st.multiselect(
        "Annotators, a column each",
        columns,
        [name for name in guessed.annotators if name in columns],
        key=f"map-judges-{file}",
    )
    known = {score.column: score for score in guessed.scores}
    scores = st.multiselect(
        "Released scores", columns, list(known), key=f"map-scores-{file}", help="Higher: more consistent."
    )
    mapped = guessed.model_copy(
        update={
            **values,
            "annotators": tuple(annotators),
            "scores": tuple(known.get(name, ScoreColumn(column=name, metric=name)) for name in scores),
        }
    )
    return mapped.flipped() if values["label"] and _turned(guessed, file) else mapped


def _column(field: str, title: str, columns: Sequence[str], guessed: str, file: str) -> str:
    place = columns.index(guessed) if guessed in columns else None
    chosen = st.selectbox(title, columns, index=place, key=f"map-{field}-{file}", placeholder="none")
    return chosen or ""


def _turned(guessed: ColumnMap, file: str) -> bool:
    """Whether yes or 1 means the other thing than was guessed."""
    consistent = "1" in guessed.consistent
    meanings = {True: "the summary is consistent", False: "an error is there"}
    said = st.radio(
        "A label of 1 or yes says",
        [True, False],
        index=0 if consistent else 1,
        key=f"map-polarity-{file}",
        format_func=lambda yes: meanings[yes],
        horizontal=True,
    )
    return said != consistent
