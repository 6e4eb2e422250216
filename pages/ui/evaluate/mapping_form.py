"""Mapping of the columns of a table: the guess, what it leaves out, and how a person corrects it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.store.remembered_answers import remembered_answer
from core.base import Limits, read_apart
from core.data import (
    ANSWER_WORDS,
    ARCHIVES,
    NO_DOCUMENT,
    NO_LABEL,
    SIDES,
    UNLABELLED_WORDS,
    UTF8,
    YES_ANSWERS,
    ColumnMap,
    Row,
    ScoreColumn,
    are_answers,
    column_words,
    decoding_error,
    encoding_of,
    example_rows,
    form_columns,
    form_of,
    format_example,
    infer_column_map,
    is_filled,
    label_meanings,
    label_record,
    label_words,
    left_out,
    likely_encodings,
    open_classes,
    open_document,
    open_questions,
    open_summary,
    open_votes,
    opposite,
    preview_rows,
    read_with_map,
    sheet_names,
    shorten,
    stated_columns,
    structure_notes,
    table_notes,
    table_paths,
    table_shape,
    text_encodings,
    undecided_words,
    used_settings,
    with_consistent_words,
    with_document,
    with_label_of_1,
    with_summary,
    with_vote_of_1,
)
from core.errors import TouchstoneError
from core.text import format_named_languages, name_languages
from core.types import Verdict
from pages.server import services
from pages.ui.evaluate.import_task import Reader, is_packed
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.session_state import WidgetValue

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
_LANGUAGE_ROWS = 50
_SLICES_HELP = (
    "Evaluate and audits have a row for each value of these columns, named “COLUMN: value”. In a column called slices each "
    "value is a name, or several with semicolons between."
)
_LIMITS = Limits(seconds=30, megabytes=4096)
_Preview = tuple[list[Row], ColumnMap, frozenset[str]]
"""The first rows, the guess, and the columns whose classes the file names."""

_MEANINGS: dict[str, Verdict | None] = {**{verdict.value: verdict for verdict in Verdict}, "no label": None}


def mapping_form(source: Path, questions: DeltaGenerator) -> Reader | None:
    """Reader of the table as it was mapped; None, with a message, where it cannot be read or a question is open.

    In `questions` a person says what the labels mean where neither the file nor a name does.
    """
    import pandas as pd

    try:
        sheets = _sheet_names(source, source.stat().st_mtime_ns)
        sheet = st.selectbox("Sheet", sheets, key=f"map-sheet-{source.name}") if len(sheets) > 1 else ""
        encoding = _chosen_encoding(source, sheet)
        tables = [path for path in table_paths(source) if path.suffix.lower() not in ARCHIVES]
        decisions = [note for path in tables for note in table_notes(path, encoding, sheet)]
        rows, guessed, stated = _preview_and_guess(source, source.stat().st_mtime_ns, encoding, sheet)
        garbled = _garbled_choice(rows, questions, source.name)
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return None
    others = [name for name in sheets if sheet and name != sheet]
    st.dataframe(pd.DataFrame(rows[:_PREVIEW_ROWS]).astype(str), hide_index=True, height="auto", alt="The first rows")
    columns = list(dict.fromkeys(name for row in rows for name in row if name))
    mapped = _corrected_mapping(columns, guessed, rows, stated, source.name)
    if not mapped.summary:
        st.caption("Choose the column that holds the summary.")
        return None
    is_form = form_of(source, encoding, sheet) is not None
    mapped, texts_named = (mapped, {}) if is_form else _with_texts(mapped, guessed, rows, questions, source.name)
    answers = None
    if texts_named is not None:  # one question after the other: all of them would push the button out of view
        mapped, answers = _with_directions(mapped, rows, stated, questions, source.name)
        if answers is not None and texts_named:
            answers |= {**texts_named, "shape": table_shape(rows, mapped)}

    omitted = left_out(mapped, rows)
    meanings = label_meanings(mapped, rows)
    texts = [
        [str(row.get(column) or "") for column in (mapped.document, mapped.summary)] for row in rows[:_LANGUAGE_ROWS]
    ]
    languages = format_named_languages(Counter(name_languages(*pair) for pair in texts))
    notes = [
        *(f":material/info: {escape_markdown(decision)}" for decision in decisions),
        f"**The label says** {escape_markdown(', '.join(meanings))}." if meanings else "",
        f":material/translate: {escape_markdown(languages)}" if languages else "",
        f"**Left out:** {escape_markdown(', '.join(omitted))}." if omitted else "",
        *(f":material/help: {escape_markdown(question)}" for question in open_questions(mapped, rows, others)),
        *(f":material/help: {escape_markdown(note)}" for note in structure_notes(rows, mapped)),
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
    if answers is None:
        return None
    settings = used_settings(mapped, encoding, sheet) | answers | ({"garbled": garbled} if garbled else {})
    return Reader(partial(read_with_map, columns=mapped, encoding=encoding, sheet=sheet, garbled=garbled), settings)


def guesses_summary(source: Path) -> bool:
    """True if the names of columns and their texts tell which are the document and the summary of a table."""
    try:
        _, guessed, _ = _preview_and_guess(source, source.stat().st_mtime_ns, UTF8, "")
    except TouchstoneError:
        return False
    return bool(guessed.document and guessed.summary)


def _chosen_encoding(source: Path, sheet: str) -> str:
    """UTF-8, or what a person chooses for a file that is not, or whose letters were mixed up."""
    texts = [path for path in table_paths(source) if not is_packed(path)]
    if other := next((path for path in texts if encoding_of(path) != UTF8), None):
        return _encoding_choice("The file is not UTF-8. Read it as", encoding_of(other), other)
    if texts and _trace(_preview_and_guess(source, source.stat().st_mtime_ns, UTF8, sheet)[0]):
        return _encoding_choice("Letters were mixed up. Read the file as", UTF8, texts[0])
    return UTF8


def _encoding_choice(title: str, encoding: str, path: Path) -> str:
    """The encoding that a person chooses by the first letters that each gives; at first the likely one."""
    readings = dict(likely_encodings(path))
    return st.selectbox(
        title,
        [*dict.fromkeys((encoding, *readings, *text_encodings()))],
        format_func=lambda name: f"{name}: {readings[name]}" if name in readings else name,
        key=f"map-encoding-{path.name}",
        help="Look at the letters of the first rows below.",
    )


def _trace(rows: Sequence[Row]) -> str:
    """The first trace of a wrong encoding in the cells of rows, as the rest of a sentence; "" for none."""
    cells = (cell for row in rows for cell in row.values() if isinstance(cell, str))
    return next(filter(None, map(decoding_error, cells)), "")


def _garbled_choice(rows: Sequence[Row], questions: DeltaGenerator, file: str) -> str:
    """The setting keep where a person takes texts with traces of a wrong encoding as they are; otherwise they are refused."""
    trace = _trace(rows)
    if not trace:
        return ""
    with questions:
        st.warning(escape_markdown(f"A text {trace}"), icon=":material/abc:")
        keep = st.toggle(
            "Import such texts as they are",
            key=f"map-garbled-{file}",
            help="Choose another encoding first: none brings back letters that were lost when the file was written.",
        )
    return "keep" if keep else ""


@lru_cache(8)
def _preview_and_guess(source: Path, _changed_ns: int, encoding: str, sheet: str) -> _Preview:
    """The preview; a large workbook takes seconds to open, and every correction draws the form again."""
    # text is read line by line; what is packed may unpack to anything
    if any(map(is_packed, table_paths(source))):
        [previewed] = read_apart(source.name, _LIMITS, partial(_previews, source, encoding, sheet))
        return previewed
    [previewed] = _previews(source, encoding, sheet)
    return previewed


def _previews(source: Path, encoding: str, sheet: str) -> list[_Preview]:
    rows = preview_rows(source, encoding=encoding, sheet=sheet)
    return [(rows, form_columns(source, rows, encoding, sheet), stated_columns(source))]


@lru_cache(8)
def _sheet_names(source: Path, _changed_ns: int) -> list[str]:
    if source.is_dir() or not is_packed(source):
        return []
    return [*read_apart(source.name, _LIMITS, sheet_names, source)]


def _with_directions(
    mapped: ColumnMap, rows: Sequence[Row], stated: Collection[str], questions: DeltaGenerator, file: str
) -> tuple[ColumnMap, dict[str, str] | None]:
    """The mapping with the meanings that a person gave to the labels, and their record; None while one is missing."""
    shape, classes, voted = table_shape(rows, mapped), open_classes(rows, mapped), open_votes(rows, mapped)
    remembered = remembered_answer(services.store().datasets(), shape) if classes or voted else None
    last_dataset, before = remembered or ("", {})
    answers: dict[str, str] = {}
    with questions:
        if last_dataset:
            st.caption(f":material/history: As answered for {escape_markdown(last_dataset)}, a table of the same form.")
        if classes:
            mapped, answers = _ask_for_label(mapped, rows, classes, before, f"{file}-{shape}")
        side = (
            _side_choice("An annotator's 1 or yes counts as", before.get("vote_of_1"), f"map-vote-{file}")
            if voted
            else None
        )
        if side:
            answers["vote_of_1"] = side
            mapped = with_vote_of_1(rows, mapped, side)
        record = label_record(mapped, rows, stated, answered=bool(answers), voted=side is not None)
        if (classes and not answers.keys() - {"vote_of_1"}) or (voted and not side):
            st.caption(":material/help: Nothing in the file says it. Answer this to import.")
            return mapped, None
        if record:
            st.caption(f":material/check: {escape_markdown('; '.join(record.values()))}")
    return mapped, {**record, **answers, **({"shape": shape} if answers else {})}


def _with_texts(
    mapped: ColumnMap, guessed: ColumnMap, rows: Sequence[Row], questions: DeltaGenerator, file: str
) -> tuple[ColumnMap, dict[str, str] | None]:
    """The mapping with the summary and the document that a person named, where the names of columns do not tell, and the answers.

    None while one is missing, which is asked before those that follow.
    """
    texts_named: dict[str, str] = {}
    excerpts = {name: escape_markdown(shorten(cell)) for row in rows[:1] for name, cell in row.items()}
    if summaries := open_summary(rows, guessed):
        texts_named["summary"] = mapped.summary
        if mapped.summary == guessed.summary:
            title = "Which column is the text of the system? It is the summary."
            shown = {name: excerpts.get(name, "") for name in summaries}
            texts_named["summary"] = _ask_for_column(title, shown, questions, f"map-which-summary-{file}")
        if not texts_named["summary"]:
            return mapped, None
        mapped = with_summary(mapped, texts_named["summary"])
    if documents := open_document(rows, guessed):
        texts_named["document"] = mapped.document
        if mapped.document == guessed.document:
            title = "Which column is the document, against which the summary is checked?"
            shown = {name: excerpts.get(name, "") for name in documents} | {NO_DOCUMENT: "no document here"}
            texts_named["document"] = _ask_for_column(title, shown, questions, f"map-which-document-{file}")
        if not texts_named["document"]:
            return mapped, None
        mapped = with_document(mapped, texts_named["document"])
    return mapped, texts_named


def _ask_for_column(title: str, excerpts: Mapping[str, str], questions: DeltaGenerator, key: str) -> str:
    """Column that a person chooses by its excerpt, "" until then; the answer takes one line, so that the next question is in view."""
    is_answered = WidgetValue[str | None](key, None).get() is not None
    with questions:
        column = st.radio(
            title,
            list(excerpts),
            index=None,
            key=key,
            captions=None if is_answered else list(excerpts.values()),
            horizontal=is_answered,
        )
        if column is None:
            st.caption(":material/help: The names do not say it. Answer this to import.")
    return column or ""


def _ask_for_label(
    mapped: ColumnMap, rows: Sequence[Row], classes: Sequence[str], before: Mapping[str, str], key: str
) -> tuple[ColumnMap, dict[str, str]]:
    """The mapping after the answer about two of the rows, and the answer as a setting of the importer."""
    examples = example_rows(rows, mapped, classes)
    if not are_answers(classes):
        shown = "  \n".join(escape_markdown(format_example(mapped, *example)) for example in examples)
        default = [word for word in before.get("consistent", "").split("+") if word in classes]
        question = f"{shown}  \nWhich of these mean a consistent summary? The others mean an inconsistent one."
        words = st.pills(question, classes, selection_mode="multi", default=default, key=f"map-classes-{key}")
        return (with_consistent_words(rows, mapped, words), {"consistent": "+".join(words)}) if words else (mapped, {})
    word, row = examples[0]
    of_1 = before.get("label_of_1", "")
    if of_1 in SIDES and word not in YES_ANSWERS:
        of_1 = opposite(SIDES[of_1]).value
    title = f"{escape_markdown(format_example(mapped, word, row))}  \nThis summary counts as"
    side = _side_choice(title, of_1, f"map-direction-{key}")
    for other in examples[1:]:
        st.caption(f"The other side: {escape_markdown(format_example(mapped, *other))}")
    if side is None:
        return mapped, {}
    of_1 = side if word in YES_ANSWERS else opposite(SIDES[side]).value
    return with_label_of_1(rows, mapped, of_1), {"label_of_1": of_1}


def _side_choice(title: str, before: str | None, key: str) -> str | None:
    """Ask which verdict is meant; nothing is chosen beforehand, unless it was answered for such a table."""
    sides = list(SIDES)
    return st.radio(title, sides, index=sides.index(before) if before in SIDES else None, key=key, horizontal=True)


def _corrected_mapping(
    columns: Sequence[str], guessed: ColumnMap, rows: Sequence[Row], stated: Collection[str], file: str
) -> ColumnMap:
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
    if mapped.label != guessed.label and mapped.summary:  # its words have meanings of their own
        other = infer_column_map(rows, stated, mapped.label or NO_LABEL)
        mapped = mapped.model_copy(update={side: getattr(other, side) for side in _WORD_LISTS})
    if open_classes(rows, mapped):
        return mapped  # asked above the button
    mapped = _with_decided_words(mapped, rows, file)
    guessed_yes, yes = mapped.yes, mapped.yes
    if mapped.label and any(word in ANSWER_WORDS for word in column_words(rows, mapped.label)):
        yes = _polarity_choice("A label of 1 or yes says", guessed_yes, f"map-polarity-{mapped.label}-{file}")
    if mapped.annotators and not open_votes(rows, mapped):
        says_consistent = _polarity_choice(
            "An annotator's 1 or yes says", guessed_yes != guessed.opposed, f"map-votes-{file}"
        )
        mapped = mapped.model_copy(update={"opposed": says_consistent != yes})
    return mapped if yes == mapped.yes else mapped.flipped()


_WORD_LISTS = ("consistent", "inconsistent", "borderline", "unlabelled")


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
