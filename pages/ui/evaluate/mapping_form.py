"""Mapping of the columns of a table: the guess, what it leaves out, and how a person corrects it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from core.base import Limits, read_apart
from core.data import (
    UNLABELLED_WORDS,
    UTF8,
    ColumnMap,
    Row,
    ScoreColumn,
    classes_of_unclear_direction,
    encoding_of,
    form_columns,
    is_filled,
    label_meanings,
    label_words,
    left_out,
    open_questions,
    preview_rows,
    read_with_map,
    sheet_names,
    undecided_words,
    used_settings,
)
from core.errors import TouchstoneError
from core.types import Verdict
from pages.ui.evaluate.import_task import PACKED_FORMATS, Reader
from pages.ui.shared.markup import escape_markdown, escape_message

_SINGLE_COLUMNS = {
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
    "annotator": "Annotator (a row for each)",
    "contexts": "Contexts (several sources)",
    "question": "Question",
}
_PREVIEW_ROWS = 5
_SLICES_HELP = (
    "Evaluate and audits have a row for each value of these columns, named “COLUMN: value”. In a column called slices each "
    "value is a name, or several with semicolons between."
)
_LIMITS = Limits(seconds=30, megabytes=4096)
_ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1")
_MEANINGS: dict[str, Verdict | None] = {**{verdict.value: verdict for verdict in Verdict}, "no label": None}


def mapping_form(source: Path) -> Reader | None:
    """Reader of the table as it was mapped; None, with a message, where it cannot be read."""
    import pandas as pd

    try:
        sheets = _sheet_names(source, source.stat().st_mtime_ns)
        sheet = st.selectbox("Sheet", sheets, key=f"map-sheet-{source.name}") if len(sheets) > 1 else ""
        encoding = UTF8 if source.suffix.lower() in PACKED_FORMATS else encoding_of(source)
        if encoding != UTF8:
            encoding = st.selectbox(
                "The file is not UTF-8. Read it as",
                _ENCODINGS,
                index=_ENCODINGS.index(encoding),
                key=f"map-encoding-{source.name}",
                help="Look at the letters of the first rows below.",
            )
        rows, guessed = _preview_and_guess(source, source.stat().st_mtime_ns, encoding, sheet)
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return None
    others = [name for name in sheets if sheet and name != sheet]
    st.dataframe(pd.DataFrame(rows[:_PREVIEW_ROWS]).astype(str), hide_index=True, height="auto", alt="The first rows")
    columns = list(dict.fromkeys(name for row in rows for name in row if name))
    mapped = _corrected_mapping(columns, guessed, rows, source.name)
    if not mapped.summary:
        st.caption("Choose the column that holds the summary.")
        return None

    omitted = left_out(mapped, rows)
    meanings = label_meanings(mapped, rows)
    notes = [
        f"**The label says** {escape_markdown(', '.join(meanings))}." if meanings else "",
        f"**Left out:** {escape_markdown(', '.join(omitted))}." if omitted else "",
        *(f":material/help: {escape_markdown(question)}" for question in open_questions(mapped, rows, others)),
    ]
    st.caption("  \n".join(filter(None, notes)))

    st.download_button(
        "Save this mapping",
        mapped.to_json,
        "mapping.json",
        on_click="ignore",
        icon=":material/save:",
        help="In the terminal: cli.py import 'generic[mapping=mapping.json]' FILE",
    )
    return Reader(
        partial(read_with_map, columns=mapped, encoding=encoding, sheet=sheet), used_settings(mapped, encoding, sheet)
    )


@lru_cache(8)
def _preview_and_guess(source: Path, _changed_ns: int, encoding: str, sheet: str) -> tuple[list[Row], ColumnMap]:
    """The first rows and the guess; a large workbook takes seconds to open, and every correction draws the form again."""
    # text is read line by line; what is packed may unpack to anything
    if source.suffix.lower() in PACKED_FORMATS:
        [previewed] = read_apart(source.name, _LIMITS, partial(_previews, source, encoding, sheet))
        return previewed
    [previewed] = _previews(source, encoding, sheet)
    return previewed


def _previews(source: Path, encoding: str, sheet: str) -> list[tuple[list[Row], ColumnMap]]:
    rows = preview_rows(source, encoding=encoding, sheet=sheet)
    return [(rows, form_columns(source, rows, encoding, sheet))]


@lru_cache(8)
def _sheet_names(source: Path, _changed_ns: int) -> list[str]:
    if source.suffix.lower() not in PACKED_FORMATS:
        return []
    return [*read_apart(source.name, _LIMITS, sheet_names, source)]


def _corrected_mapping(columns: Sequence[str], guessed: ColumnMap, rows: Sequence[Row], file: str) -> ColumnMap:
    """The guess with what was chosen instead."""
    values: dict[str, Any] = {}
    grid = st.columns(2)
    for place, (name, title) in enumerate(_SINGLE_COLUMNS.items()):
        with grid[place % 2]:
            guess = getattr(guessed, name)
            index = columns.index(guess) if guess in columns else None
            column = st.selectbox(title, columns, index=index, key=f"map-{name}-{file}", placeholder="none")
            values[name] = column or ""
    annotators = _column_multiselect("Annotators, a column each", "judges", columns, guessed.annotators, file)
    ratings = _column_multiselect("Ratings that people gave", "ratings", columns, guessed.ratings, file)
    slices = _column_multiselect("Slices of your own", "slices", columns, guessed.slices, file, _SLICES_HELP)
    values |= {"annotators": tuple(annotators), "ratings": tuple(ratings), "slices": tuple(slices)}
    guesses = {score.column: score for score in guessed.scores}
    names = _column_multiselect("Released scores", "scores", columns, list(guesses), file)
    scores = [guesses.get(name, ScoreColumn(column=name, metric=name)) for name in names]
    if scores:
        lower = st.multiselect(
            "Of these, lower is better",
            names,
            [score.column for score in scores if score.lower_is_better],
            key=f"map-lower-{file}",
            help="They are kept with the opposite sign, so that higher is more consistent.",
        )
        scores = [score.model_copy(update={"lower_is_better": score.column in lower}) for score in scores]
    values["scores"] = tuple(scores)
    mapped = guessed.model_copy(update=values)
    edited_label = None
    if not mapped.label and (mapped.edited or mapped.edits):
        choices = ["inconsistent", "consistent", "no label"]
        meaning = st.radio(
            "Without a label, an edited summary is", choices, key=f"map-unlabelled-{file}", horizontal=True
        )
        edited_label = _MEANINGS[meaning]
    mapped = mapped.model_copy(update={"edited_label": edited_label})
    mapped = _with_decided_words(mapped, rows, file)
    yes = mapped.yes
    if mapped.label and not classes_of_unclear_direction(rows, mapped):  # their meaning was asked for one by one
        yes = _polarity_choice("A label of 1 or yes says", guessed.yes, f"map-polarity-{file}")
    if mapped.annotators:
        says_consistent = _polarity_choice(
            "An annotator's 1 or yes says", guessed.yes != guessed.opposed, f"map-votes-{file}"
        )
        mapped = mapped.model_copy(update={"opposed": says_consistent != yes})
    return mapped if yes == mapped.yes else mapped.flipped()


def _with_decided_words(mapped: ColumnMap, rows: Sequence[Row], file: str) -> ColumnMap:
    """Ask for the meaning of the words of the label that no list has; they label nothing until somebody decides."""
    base = mapped.model_copy(update={"unlabelled": UNLABELLED_WORDS})
    for word in undecided_words(rows, base):
        number = sum(label_words(row, mapped.label).count(word) for row in rows if is_filled(row, mapped.label))
        title = st.radio(
            f"“{escape_markdown(word)}” ({number} of the first rows) is",
            list(_MEANINGS),
            index=len(_MEANINGS) - 1,
            key=f"map-word-{word}-{file}",
            horizontal=True,
        )
        meaning = _MEANINGS[title]
        name = meaning.value if meaning else "unlabelled"
        base = base.model_copy(update={name: (*getattr(base, name), word)})
    return base


def _column_multiselect(
    title: str, key: str, columns: Sequence[str], guessed: Sequence[str], file: str, tip: str | None = None
) -> list[str]:
    default = [name for name in guessed if name in columns]
    return st.multiselect(title, columns, default, key=f"map-{key}-{file}", help=tip)


def _polarity_choice(title: str, guessed: bool, key: str) -> bool:
    """Ask whether yes or 1 means that the summary is consistent."""
    return st.radio(
        title,
        [True, False],
        index=0 if guessed else 1,
        key=key,
        format_func=lambda yes: "the summary is consistent" if yes else "an error is there",
        horizontal=True,
    )
