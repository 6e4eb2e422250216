"""Questions about a table that only a person can answer, with two of its rows, and the mapping after the answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence

from core.data.datasets.formats.column_inference import (
    is_rating,
    number_columns,
    score_column,
    votes_direction,
    with_meanings,
)
from core.data.datasets.formats.column_map import (
    ANSWER_WORDS,
    BORDERLINE_WORDS,
    NLI_COLUMNS,
    NO_ANSWERS,
    YES_ANSWERS,
    ColumnMap,
    is_filled,
    label_words,
    open_classes,
    voting_columns,
)
from core.data.datasets.formats.label_column import Basis, LabelColumn, column_words
from core.data.datasets.formats.polarity import opposite
from core.data.datasets.formats.text_files import Row, shorten
from core.errors import TouchstoneError
from core.types import Verdict

SIDES = {side.value: side for side in (Verdict.CONSISTENT, Verdict.INCONSISTENT)}
"""The answers to what 1 or yes says."""


def open_direction(rows: Sequence[Row], columns: ColumnMap) -> str:
    """The question for the meaning of a label that nothing settles, with a row for each of two classes; "" without one."""
    classes = open_classes(rows, columns)
    if not classes:
        return ""
    column = columns.label or " and ".join(sorted(voting_columns(rows, columns)))
    shown = "\n".join(f"  {format_example(columns, word, row)}" for word, row in example_rows(rows, columns, classes))
    if are_answers(classes):
        way_out = "--label-of-1 inconsistent or --label-of-1 consistent, in a spec generic[label_of_1=inconsistent]"
    else:
        way_out = f"--consistent {classes[0]}, in a spec generic[consistent={classes[0]}]; its other words are inconsistent then"
    nli = (columns.document.lower(), columns.summary.lower()) in NLI_COLUMNS
    hint = " Datasets of NLI mostly count entailment as 0." if nli else ""
    says = "says" if columns.label else "say"
    return (
        f"{column} {says} {', '.join(classes)}, and nothing says which of them is consistent.{hint} Two of the rows:\n{shown}\n"
        f"Say which: {way_out}. Without a label: --label none."
    )


def open_votes(rows: Sequence[Row], columns: ColumnMap) -> str:
    """The question for what a judge's yes says beside a label, where only counting suggests it; "" without one."""
    voters = sorted(voting_columns(rows, columns))
    answers = any(word in ANSWER_WORDS for judge in voters for word in column_words(rows, judge))
    if not columns.label or not answers or votes_direction(columns):
        return ""
    return (
        f"{', '.join(voters)} say yes and no, and nothing says which of them is consistent. Say which: --vote-of-1 inconsistent or "
        "--vote-of-1 consistent, in a spec generic[vote_of_1=inconsistent]."
    )


def open_scores(rows: Sequence[Row], columns: ColumnMap) -> list[str]:
    """The columns of numbers that are left out, because nothing says which way is better."""
    used = {column for _, column in columns.used()}
    names = dict.fromkeys(name for row in rows for name in row if name and name not in used)
    numbers = number_columns(rows, list(names))
    return [column for column in numbers if not are_answers(column_words(rows, column))]


def are_answers(words: Collection[str]) -> bool:
    """True for 1 and 0 or yes and no, perhaps with a middle."""
    return all(word in ANSWER_WORDS or word in BORDERLINE_WORDS for word in words)


def example_rows(rows: Sequence[Row], columns: ColumnMap, classes: Sequence[str]) -> list[tuple[str, Row]]:
    """The first row with each of the first two classes."""
    judges = (columns.label,) if columns.label else tuple(sorted(voting_columns(rows, columns)))
    ordered = sorted(classes, key=lambda word: (word not in YES_ANSWERS, word))[:2]
    examples = []
    for word in ordered:
        having = (
            row for row in rows for column in judges if is_filled(row, column) and word in label_words(row, column)
        )
        if (row := next(having, None)) is not None:
            examples.append((word, row))
    return examples


def format_example(columns: ColumnMap, word: str, row: Row) -> str:
    """A row of a question: its class, the summary and the beginning of the document."""
    document = f" (document: {shorten(row.get(columns.document))})" if columns.document else ""
    return f"{columns.label or 'vote'} {word}: {shorten(row.get(columns.edited or columns.summary))}{document}"


def with_label_of_1(rows: Sequence[Row], columns: ColumnMap, side: str) -> ColumnMap:
    """The mapping in which 1, yes and true of the label, without one of the judges, mean `side`, and 0, no and false the other.

    Raises TouchstoneError for another side, and where the label says neither.
    """
    meant = _side("label_of_1", side)
    words = column_words(rows, columns.label) if columns.label else _vote_words(rows, columns)
    if not any(word in ANSWER_WORDS for word in words):
        raise TouchstoneError(
            f"{columns.label or 'The label'} does not say 1 or 0, yes or no. Its words are {', '.join(words) or 'none'}: name those that mean a "
            "consistent summary with --consistent."
        )
    return with_meanings(columns, LabelColumn(columns.label, _meanings(words, meant), Basis.STATED, ""))


def with_vote_of_1(rows: Sequence[Row], columns: ColumnMap, side: str) -> ColumnMap:
    """The mapping in which a judge's 1, yes or true means `side`."""
    meant = _side("vote_of_1", side)
    if not columns.label:
        return with_label_of_1(rows, columns, side)
    return columns.model_copy(update={"opposed": columns.yes != (meant is Verdict.CONSISTENT)})


def _side(setting: str, side: str) -> Verdict:
    if side not in SIDES:
        raise TouchstoneError(
            f"{setting} is {side!r}. It is consistent or inconsistent: what a 1 or yes says of the summary."
        )
    return SIDES[side]


def _meanings(words: Sequence[str], meant: Verdict) -> dict[str, Verdict | None]:
    yes = {word: meant for word in (*words, "1", "yes", "true") if word in YES_ANSWERS}
    no = {word: opposite(meant) for word in (*words, "0", "no", "false") if word in NO_ANSWERS}
    middle = {word: Verdict.BORDERLINE for word in words if word in BORDERLINE_WORDS}
    return {**yes, **no, **middle}


def _vote_words(rows: Sequence[Row], columns: ColumnMap) -> list[str]:
    return [word for judge in sorted(voting_columns(rows, columns)) for word in column_words(rows, judge)]


def with_ways(rows: Sequence[Row], columns: ColumnMap, higher: Sequence[str], lower: Sequence[str]) -> ColumnMap:
    """The mapping with these columns as ratings or scores of which more, or less, is better.

    Raises TouchstoneError for a column that the rows do not have.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    if unknown := [column for column in (*higher, *lower) if column not in names]:
        raise TouchstoneError(f"There is no column {unknown[0]!r}. The columns are {', '.join(names)}.")
    ratings = [column for column in columns.ratings if column not in lower]
    ratings += [column for column in higher if column not in ratings and is_rating(rows, column)]
    scores = [score for score in columns.scores if score.column not in (*higher, *lower)]
    scores += [score_column(column, False) for column in higher if column not in ratings]
    scores += [score_column(column, True) for column in lower]
    return columns.model_copy(update={"ratings": tuple(ratings), "scores": tuple(scores)})


def table_shape(rows: Sequence[Row], columns: ColumnMap) -> str:
    """A name for tables with these columns and these words of the label, 16 hexadecimal digits: an answer holds for all of them."""
    names = sorted({name for row in rows for name in row})
    words = sorted(column_words(rows, columns.label)) if columns.label else sorted(_vote_words(rows, columns))
    text = json.dumps([names, columns.label, words], ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
