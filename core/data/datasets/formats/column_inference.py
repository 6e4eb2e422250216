"""A first guess at what the columns of a table hold, for a person to correct: by their names, then by what is in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.data.datasets.formats.column_map import (
    BORDERLINE_WORDS,
    CONSISTENT_WORDS,
    INCONSISTENT_WORDS,
    SPLIT_WORDS,
    UNLABELLED_WORDS,
    ColumnMap,
    ScoreColumn,
    classes_of_unclear_direction,
    is_filled,
    label_word,
    label_words,
    votes_oppose_label,
    without_direction,
)
from core.data.datasets.formats.fields import table_number
from core.data.datasets.formats.item_stream import FIELD_NAMES
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Verdict

_OF_OUR_FILES = {"claims", "claims_by"}
"""Fields of our own files whose names mean something else in tables of others."""
_MORE_FIELD_NAMES = {
    "document": ("input", "grounding", "source_text", "transcript", "evidence", "passage", "knowledge", "sentence1"),
    "summary": (
        "output",
        "actual_output",
        "response",
        "generated_text",
        "system_output",
        "prediction",
        "summ_sent",
        "sentence",
        *("summary_sentences", "sentences", "sentence2"),
    ),
    "edited": ("edited_claim", "perturbed_summary", "corrupted_summary", "inconsistent_summary"),
    "label": (
        *(
            "label",
            "labels",
            "verdict",
            "consistency",
            "consistent",
            "is_consistent",
            "faithful",
            "is_faithful",
            "factual",
        ),
        *("is_factual", "gold", "gold_label", "w/_error", "hallucination", "human_label"),
        *("sentence_labels", "sentence_label", "feedback"),
    ),
    "group": ("document_id", "source_id", "docid"),
    "system": ("system", "model", "model_name", "system_id", "summarizer", "llm"),
    "split": ("split", "cut"),
    "domain": ("dataset", "origin", "corpus"),
    "error_type": ("error_types", "category", "type"),
}
_ERROR_NAME = re.compile(r"error|halluc|inconsist|unfaithful|nonfactual|unsupported")
_LOWER_IS_BETTER = re.compile(
    r"error|halluc|inconsist|unfaithful|nonfactual|unsupported|contradict|perplex|(^|[_ -])(ppl|nll|loss|wer|ter|distance|risk|entropy)([_ -]|$)"
)
_JUDGE_NAME = re.compile(r"(annotator|rater|judge|worker|reviewer|vote)s?[_ -]?\w*$", re.IGNORECASE)
_WHO_NAME = re.compile(
    r"(annotator|annotated_by|rater|judge|worker|reviewer|coder|evaluator)([_ -]?(id|name))?$", re.IGNORECASE
)
_RATING_NAME = re.compile(
    r"coheren|consisten|fluen|relevan|faithful|factual|coverage|likert|rating|overall|quality|(^|[_ -])human|expert|informative"
)
_NUMBERING_NAME = re.compile(
    r"id$|(^|[_ -])(idx|index|number|no|item|sample|row|line|year|start|end|length|rank|seed)$|^$", re.IGNORECASE
)
_SIDE_SUFFIX = re.compile(r"[_ -](edited|reference|original|summary)$", re.IGNORECASE)
_POLAR_WORDS = {*CONSISTENT_WORDS, *INCONSISTENT_WORDS}
_LABEL_WORDS = {*_POLAR_WORDS, *BORDERLINE_WORDS, *UNLABELLED_WORDS}
_MOST_CLASSES = 8  # words of a label
_FAILED_WORDS = {
    *UNLABELLED_WORDS,
    "error",
    "err",
    "failed",
    "fail",
    "inf",
    "+inf",
    "-inf",
    "infinity",
    "-infinity",
    "#n/a",
}
_MOST_LEVELS = 10  # of a rating that people give


def infer_column_map(rows: Sequence[Row]) -> ColumnMap:
    """The mapping that the first rows suggest, of rows with flat columns.

    Raises TouchstoneError where no column holds texts. A label whose name speaks of errors is taken the other way round.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row if name))

    spelt = {"_".join(column.lower().replace("-", " ").split()): column for column in columns}
    spelled_out: dict[str, str] = {}
    for field in [name for name in {**FIELD_NAMES, **_MORE_FIELD_NAMES} if name not in _OF_OUR_FILES]:
        names = (*FIELD_NAMES.get(field, ()), *_MORE_FIELD_NAMES.get(field, ()))
        free = (spelt[name] for name in names if name in spelt and spelt[name] not in spelled_out.values())
        column = next(free, "")
        if column:
            spelled_out[field] = column
    if spelled_out.get("document", "").lower() == "input" and "contexts" in spelled_out:
        spelled_out.setdefault("question", spelled_out.pop("document"))  # what a system was asked about passages
    named = _drop_contradicted(spelled_out, rows)
    named |= _match_by_length(rows, [column for column in columns if column not in named.values()], named)
    if "summary" not in named:
        raise TouchstoneError(f"No column holds a summary. The columns are {', '.join(columns) or 'none'}.")
    rest = [column for column in columns if column not in named.values()]
    named |= _find_annotator(rows, rest, named)
    judges = tuple(column for column in rest if _JUDGE_NAME.match(column) and _are_votes(_column_words(rows, column)))
    if "label" not in named:
        named |= _find_label(rows, [column for column in rest if column not in judges])
    numbers = [column for column in rest if column not in (*judges, *named.values()) and _are_numbers(rows, column)]
    ratings = tuple(column for column in numbers if is_rating(rows, column))
    scores = tuple(score_column(column) for column in numbers if column not in ratings)
    slices = tuple(filter(None, [named.pop("slices", "")]))
    inferred = ColumnMap.model_validate(
        {
            **named,
            "slices": slices,
            "annotators": judges,
            "ratings": ratings,
            "scores": scores,
            **(
                {"edited_label": Verdict.INCONSISTENT}
                if {"edited", "edits"} & named.keys() and "label" not in named
                else {}
            ),
        }
    )
    turned = inferred.flipped() if _ERROR_NAME.search(inferred.label.lower()) else inferred
    turned = without_direction(turned, classes_of_unclear_direction(rows, turned))
    completed = turned.model_copy(update={"unlabelled": (*turned.unlabelled, *undecided_words(rows, turned))})
    return completed.model_copy(update={"opposed": votes_oppose_label(rows, completed)})


def undecided_words(rows: Sequence[Row], columns: ColumnMap) -> tuple[str, ...]:
    """Words of the label column that no list of the mapping has, in order of appearance; those words label nothing."""
    if not columns.label:
        return ()
    listed_words = {*columns.verdicts, *columns.unlabelled}
    cells = (label_words(row, columns.label) for row in rows if is_filled(row, columns.label))
    return tuple(dict.fromkeys(word for cell in cells for word in cell if word not in listed_words))


def is_rating(rows: Sequence[Row], column: str) -> bool:
    """True if a column of numbers holds ratings of people: by its name, or a few whole levels from 0 or 1 on."""
    values = {value for row in rows if is_filled(row, column) and (value := table_number(row[column])) is not None}
    levels = all(value == int(value) for value in values) and 3 <= len(values) <= _MOST_LEVELS
    return bool(_RATING_NAME.search(column.lower())) or (
        levels and min(values) in (0, 1) and max(values) <= _MOST_LEVELS
    )


def _find_annotator(rows: Sequence[Row], columns: Sequence[str], named: dict[str, str]) -> dict[str, str]:
    """The column with the judge's name, where the same summary stands in several rows with different ones."""
    for column in columns:
        if not _WHO_NAME.fullmatch(column):
            continue
        pairs = {(str(row.get(named["summary"])), str(row.get(named.get("document", "")))) for row in rows}
        judged = {
            (str(row.get(named["summary"])), str(row.get(named.get("document", ""))), str(row.get(column)))
            for row in rows
        }
        if len(pairs) < len(judged):
            return {"annotator": column}
    return {}


def _drop_contradicted(named: dict[str, str], rows: Sequence[Row]) -> dict[str, str]:
    """Column of each field, without those whose values contradict their name: an id that repeats is the document's."""
    belied = set()
    if "split" in named and not _column_words(rows, named["split"]) <= set(SPLIT_WORDS):
        belied.add("split")
    if "label" in named:
        words = [word for row in rows if is_filled(row, named["label"]) for word in label_words(row, named["label"])]
        # few words, most cells with a known one, and no levels such as 1 to 5
        says_label = (
            sum(word in _POLAR_WORDS for word in words) * 2 >= len(words)
            and len(set(words)) <= _MOST_CLASSES
            and not any(table_number(word) is not None for word in {*words} - _LABEL_WORDS)
        )
        if not says_label:
            texts = {field: named.get(field, "") for field in ("summary", "document", "label")}
            classes = classes_of_unclear_direction(rows, ColumnMap(**texts))
            # a number for each class, and not a rating by its name
            if not 0 < len(classes) < (3 if _RATING_NAME.search(named["label"].lower()) else 5):
                belied.add("label")
    plausible = {field: column for field, column in named.items() if field not in belied}
    if "id" in plausible and len({str(row.get(plausible["id"])) for row in rows}) < len(rows):
        repeated = plausible.pop("id")
        return {"group": repeated, **plausible}
    return plausible


def _match_by_length(rows: Sequence[Row], columns: Sequence[str], named: dict[str, str]) -> dict[str, str]:
    """The longest texts that have no known name are documents, the next summaries."""
    lengths = {column: _mean_length(rows, column) for column in columns}
    longest = sorted((column for column in columns if lengths[column] > 0), key=lambda column: -lengths[column])
    missing = [field for field in ("document", "summary") if field not in named]
    missing = [field for field in missing if field == "summary" or "contexts" not in named]
    if missing == ["document"]:
        longest = [column for column in longest if lengths[column] > _mean_length(rows, named["summary"])]
    if len(longest) < len(missing):
        missing = [field for field in missing if field == "summary"]
    return dict(zip(missing, longest, strict=False))


def _mean_length(rows: Sequence[Row], column: str) -> float:
    """Mean number of characters where it holds sentences, 0 where it holds names and numbers."""
    texts = []
    for value in (row.get(column) for row in rows):
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            texts.append(" ".join(value))
        else:
            texts.append(value if isinstance(value, str) else "")
    spaced = [text for text in texts if " " in text.strip()]
    return sum(map(len, texts)) / len(texts) if len(spaced) * 2 > len(rows) else 0.0


def _find_label(rows: Sequence[Row], columns: Sequence[str]) -> dict[str, str]:
    """The column with two words of a label, and perhaps some that say nothing, where there is just one such."""
    label_columns = [
        column
        for column in columns
        if (words := _column_words(rows, column)) <= _LABEL_WORDS and len(words & _POLAR_WORDS) == 2
    ]
    return {"label": label_columns[0]} if len(label_columns) == 1 else {}


def _column_words(rows: Sequence[Row], column: str) -> set[str]:
    return {word for row in rows if is_filled(row, column) for word in label_words(row, column)}


def _are_votes(words: set[str]) -> bool:
    return bool(words) and all(word in _LABEL_WORDS or table_number(word) is not None for word in words)


def _are_numbers(rows: Sequence[Row], column: str) -> bool:
    """True if nearly every filled cell is a number or says that there is none."""
    if _NUMBERING_NAME.search(column):
        return False
    words = [label_word(row, column) for row in rows if is_filled(row, column)]
    numbers = sum(table_number(word) is not None for word in words)
    strange = sum(word not in _FAILED_WORDS and table_number(word) is None for word in words)
    return numbers > 0 and numbers * 4 >= len(words) and strange * 10 <= len(words)


def score_column(column: str) -> ScoreColumn:
    """A column as that of a metric, whose name says which side it is of and which direction is better."""
    side = _SIDE_SUFFIX.search(column)
    metric = _SIDE_SUFFIX.sub("", column).removeprefix("scores.")
    return ScoreColumn(
        column=column,
        metric=metric,
        edited=side is not None and side[1].lower() == "edited",
        lower_is_better=_LOWER_IS_BETTER.search(metric.lower()) is not None,
    )
