"""A first guess at what the columns of a table hold, for a person to correct: by their names, then by what is in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.datasets.formats.column_map import (
    CONSISTENT_WORDS,
    INCONSISTENT_WORDS,
    SPLIT_WORDS,
    ColumnMap,
    ScoreColumn,
    is_filled,
    label_word,
    votes_oppose_label,
)
from core.datasets.formats.item_stream import FIELD_NAMES
from core.datasets.formats.text_files import Row
from core.errors import TouchstoneError

_MORE_FIELD_NAMES = {
    "document": ("input", "grounding", "source_text", "transcript"),
    "summary": ("output", "response", "generated_text", "system_output", "prediction", "summ_sent", "sentence"),
    "label": ("label", "verdict", "consistency", "consistent", "faithful", "factual", "is_factual", "gold", "w/_error"),
    "group": ("document_id", "source_id", "docid"),
    "system": ("system", "model", "model_name", "system_id", "summarizer"),
    "split": ("split", "cut"),
    "domain": ("dataset", "origin", "corpus"),
    "error_type": ("error_types", "category", "type"),
}
_ERROR_NAME = re.compile(r"error|halluc|inconsist|unfaithful|nonfactual|unsupported")
_JUDGE_NAME = re.compile(r"(annotator|rater|judge|worker|reviewer|vote)s?[_ -]?\w*$", re.IGNORECASE)
_NUMBERING_NAME = re.compile(r"id$|(^|[_ -])(idx|index|number|no|year|start|end|length)$|^$", re.IGNORECASE)
_SIDE_SUFFIX = re.compile(r"[_ -](edited|reference|original|summary)$", re.IGNORECASE)
_ALL_LABEL_WORDS = {*CONSISTENT_WORDS, *INCONSISTENT_WORDS}


def infer_column_map(rows: Sequence[Row]) -> ColumnMap:
    """The mapping that the first rows suggest, of rows with flat columns.

    Raises TouchstoneError where no column holds texts. A label whose name speaks of errors is taken the other way round.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row if name))
    named = _drop_contradicted(_match_by_name(columns), rows)
    named |= _match_by_length(rows, [column for column in columns if column not in named.values()], named)
    if "summary" not in named:
        raise TouchstoneError(f"No column holds a summary. The columns are {', '.join(columns) or 'none'}.")
    rest = [column for column in columns if column not in named.values()]
    judges = tuple(column for column in rest if _JUDGE_NAME.match(column) and _are_votes(_column_words(rows, column)))
    if "label" not in named:
        named |= _find_label(rows, [column for column in rest if column not in judges])
    numbers = [column for column in rest if column not in (*judges, *named.values()) and _all_numbers(rows, column)]
    found = ColumnMap.model_validate({**named, "annotators": judges, "scores": tuple(map(_score_column, numbers))})
    turned = found.flipped() if _ERROR_NAME.search(found.label.lower()) else found
    return turned.model_copy(update={"opposed": votes_oppose_label(rows, turned)})


def _drop_contradicted(named: dict[str, str], rows: Sequence[Row]) -> dict[str, str]:
    """What columns are called, less what their values belie: an id that repeats is the document's."""
    belied = {
        field
        for field, known in (("label", _ALL_LABEL_WORDS), ("split", set(SPLIT_WORDS)))
        if field in named and not _column_words(rows, named[field]) <= known
    }
    kept = {field: column for field, column in named.items() if field not in belied}
    if "id" in kept and len({str(row.get(kept["id"])) for row in rows}) < len(rows):
        repeated = kept.pop("id")
        return {"group": repeated, **kept}
    return kept


def _match_by_name(columns: Sequence[str]) -> dict[str, str]:
    """Field → column, for the columns whose names are known."""
    spelt = {"_".join(column.lower().replace("-", " ").split()): column for column in columns}
    found: dict[str, str] = {}
    for field in {**FIELD_NAMES, **_MORE_FIELD_NAMES}:
        names = (*FIELD_NAMES.get(field, ()), *_MORE_FIELD_NAMES.get(field, ()))
        free = (spelt[name] for name in names if name in spelt and spelt[name] not in found.values())
        column = next(free, "")
        if column:
            found[field] = column
    return found


def _match_by_length(rows: Sequence[Row], columns: Sequence[str], named: dict[str, str]) -> dict[str, str]:
    """The longest texts that have no known name are documents, the next summaries."""
    lengths = {column: _mean_length(rows, column) for column in columns}
    longest = sorted((column for column in columns if lengths[column] > 0), key=lambda column: -lengths[column])
    missing = [field for field in ("document", "summary") if field not in named]
    if missing == ["document"]:
        longest = [column for column in longest if lengths[column] > _mean_length(rows, named["summary"])]
    if len(longest) < len(missing):
        missing = [field for field in missing if field == "summary"]
    return dict(zip(missing, longest, strict=False))


def _mean_length(rows: Sequence[Row], column: str) -> float:
    """Mean number of characters where it holds sentences, 0 where it holds names and numbers."""
    texts = [value for row in rows if isinstance(value := row.get(column), str)]
    spaced = [text for text in texts if " " in text.strip()]
    return sum(map(len, texts)) / len(texts) if len(spaced) * 2 > len(rows) else 0.0


def _find_label(rows: Sequence[Row], columns: Sequence[str]) -> dict[str, str]:
    """The column with two values that are words of a label, where there is just one such."""
    found = [
        column for column in columns if len(words := _column_words(rows, column)) == 2 and words <= _ALL_LABEL_WORDS
    ]
    return {"label": found[0]} if len(found) == 1 else {}


def _column_words(rows: Sequence[Row], column: str) -> set[str]:
    return {label_word(row, column) for row in rows if is_filled(row, column)}


def _are_votes(words: set[str]) -> bool:
    return bool(words) and all(word in _ALL_LABEL_WORDS or _is_number(word) for word in words)


def _all_numbers(rows: Sequence[Row], column: str) -> bool:
    return not _NUMBERING_NAME.search(column) and all(
        _is_number(word) for word in _column_words(rows, column) or {"none"}
    )


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan", word) is not None


def _score_column(column: str) -> ScoreColumn:
    side = _SIDE_SUFFIX.search(column)
    metric = _SIDE_SUFFIX.sub("", column).removeprefix("scores.")
    return ScoreColumn(column=column, metric=metric, edited=side is not None and side[1].lower() == "edited")
