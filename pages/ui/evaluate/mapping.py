"""The columns of an uploaded table: its first rows, a guess at what they hold, and a person's corrections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.datasets.generic import preview, read_by
from core.datasets.reading.guessing import guess
from core.datasets.reading.mapping import ColumnMap, ScoreColumn
from core.datasets.reading.row import Row
from core.errors import TouchstoneError
from pages.ui.evaluate.intake import Reading
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


def mapping_form(source: Path) -> Reading | None:
    """What reads the table as it was mapped; None where it cannot be read, which is said."""
    try:
        rows, guessed = _looked_at(source, source.stat().st_mtime_ns)
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
    return partial(read_by, columns=mapped)


@lru_cache(8)
def _looked_at(source: Path, _changed_ns: int) -> tuple[list[Row], ColumnMap]:
    """The first rows and the guess; a large workbook takes seconds to open, and every correction draws the form anew."""
    rows = preview(source)
    return rows, guess(rows)


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
    yes = _says("A label of 1 or yes says", guessed.yes, f"map-polarity-{file}") if mapped.label else True
    if mapped.annotators:
        told = _says("An annotator's 1 or yes says", guessed.yes != guessed.opposed, f"map-votes-{file}")
        mapped = mapped.model_copy(update={"opposed": told != yes})
    return mapped if yes == mapped.yes else mapped.flipped()


def _column(field: str, title: str, columns: Sequence[str], guessed: str, file: str) -> str:
    place = columns.index(guessed) if guessed in columns else None
    chosen = st.selectbox(title, columns, index=place, key=f"map-{field}-{file}", placeholder="none")
    return chosen or ""


def _says(title: str, guessed: bool, key: str) -> bool:
    """Whether yes or 1 says that the summary is consistent."""
    return st.radio(
        title,
        [True, False],
        index=0 if guessed else 1,
        key=key,
        format_func=lambda yes: "the summary is consistent" if yes else "an error is there",
        horizontal=True,
    )
