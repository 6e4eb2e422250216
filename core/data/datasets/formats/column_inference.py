"""A first guess at what the columns of a table hold, for a person to correct: by their names, then by what is in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from core.data.datasets.formats.column_map import (
    ANSWER_WORDS,
    BORDERLINE_WORDS,
    SPLIT_WORDS,
    UNLABELLED_WORDS,
    ColumnMap,
    ScoreColumn,
    is_filled,
    label_word,
    label_words,
    votes_oppose_label,
    voting_columns,
)
from core.data.datasets.formats.fields import table_number
from core.data.datasets.formats.grouping import begins_again, document_column, names_documents
from core.data.datasets.formats.item_stream import FIELD_NAMES, parse_error_type
from core.data.datasets.formats.label_column import Basis, LabelColumn, choose_label, column_words, read_label, spelling
from core.data.datasets.formats.polarity import (
    higher_is_better,
    is_measurement,
    name_direction,
    names_people,
    phrase_words,
    value_direction,
)
from core.data.datasets.formats.polarity_words import PERSON_WORDS
from core.data.datasets.formats.summary_choice import choose_summary
from core.data.datasets.formats.text_files import Row
from core.data.datasets.formats.text_roles import TextRole, holds_texts, mean_length, text_role
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
    "group": ("document_id", "source_id", "docid"),
    "system": (
        *("system", "model", "model_name", "system_id", "model_id", "system_name", "summarizer"),
        *("llm", "llm_name", "generator", "model_type"),
    ),
    "split": ("split", "cut"),
    "domain": ("dataset", "origin", "corpus"),
    "error_type": ("error_types", "hallucination_type", "error_category", "category", "type"),
}
_JUDGE_NAME = re.compile(r"(annotator|rater|judge(?!ment)|worker|reviewer|vote)s?[_ -]?\w*$", re.IGNORECASE)
_JUDGE_QUESTION = re.compile(
    r"(?:annotator|rater|judge|worker|reviewer|vote)s?[_ -]?[a-z0-9]*[_ -](.+)$", re.IGNORECASE
)
_NO_JUDGE = re.compile(r"hit|assignment|response|group|count|num", re.IGNORECASE)
_RATING_NAME = re.compile(
    r"coheren|consisten|fluen|relevan|faithful|factual|coverage|likert|rating|overall|quality|(^|[_ -])human|expert|informative"
)
_NUMBERING_NAME = re.compile(
    r"id$|(^|[_ -])(idx|index|number|no|item|sample|row|line|year|start|end|length|rank|seed)$|^$", re.IGNORECASE
)
_SIDE_SUFFIX = re.compile(r"[_ -](edited|reference|original|summary)$", re.IGNORECASE)
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
_SIDES = frozenset({Verdict.CONSISTENT, Verdict.INCONSISTENT})
_MOST_LEVELS = 10  # of a rating that people give


def infer_column_map(rows: Sequence[Row], stated: Collection[str] = (), label: str = "") -> ColumnMap:
    """The mapping that the first rows suggest, of rows with flat columns.

    `stated` are columns whose classes the file names, `label` is the column of the label where a person says it, NO_LABEL for
    none. Words of a label whose direction neither they nor its name settle label nothing, and so does a number column of which
    nothing says which way is better: both wait for a person. Raises TouchstoneError where no column holds texts.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row if name))
    if label not in ("", NO_LABEL, *columns):
        raise TouchstoneError(f"There is no column {label!r} for the label. The columns are {', '.join(columns)}.")
    spelled_out = _match_by_name(
        [column for column in columns if column != label and not _is_short_source(rows, column)]
    )
    if summary := choose_summary(rows, [column for column in columns if column != label])[0]:
        spelled_out = {field: column for field, column in spelled_out.items() if column != summary} | {
            "summary": summary
        }
    named = _drop_contradicted(_with_longer_document(rows, columns, spelled_out), rows)
    free_columns = [column for column in columns if column not in (*named.values(), label)]
    named |= _match_by_role(rows, free_columns, named)
    for roles in ((TextRole.UNKNOWN,), (TextRole.UNKNOWN, TextRole.DOCUMENT), tuple(TextRole)):
        if roles == (TextRole.UNKNOWN,) or "summary" not in named:
            free_columns = [
                column for column in columns if column not in (*named.values(), label) and text_role(column) in roles
            ]
            named |= _match_by_length(rows, free_columns, named)
    if "summary" not in named:
        raise TouchstoneError(f"No column holds a summary. The columns are {', '.join(columns) or 'none'}.")
    if all(_are_claims(row.get("claims")) for row in rows if "claims" in row) and "claims" in columns:
        named["claims"] = "claims"
    rest = [column for column in columns if column not in named.values()]
    if "group" not in named and "document" not in named and (key := document_column(rows, rest, named)):
        named["group"] = key
    named |= _find_annotator(rows, rest, named)
    votes = () if label == NO_LABEL else [column for column in rest if column != label and _is_vote(rows, column)]
    judges = _of_one_question(votes)
    reading = _label_reading(rows, [column for column in rest if column not in judges], named, stated, label)
    if reading and reading.column:
        named["label"] = reading.column
    numbers = number_columns(rows, [column for column in rest if column not in (*judges, *named.values())])
    ways = {column: higher_is_better(metric_of_column(column)) for column in numbers}
    ratings = tuple(column for column, higher in ways.items() if higher and is_rating(rows, column))
    scores = tuple(
        score_column(column, not higher)
        for column, higher in ways.items()
        if higher is not None and column not in ratings
    )
    pair = {"edited", "edits"} & named.keys() and "label" not in named
    inferred = ColumnMap.model_validate(
        {
            **{field: column for field, column in named.items() if field != "slices"},
            "slices": tuple(filter(None, [named.get("slices", "")])),
            "annotators": judges,
            "ratings": ratings,
            "scores": scores,
            **({"edited_label": Verdict.INCONSISTENT} if pair else {}),
        }
    )
    return _with_votes(rows, with_meanings(inferred, reading) if reading else inferred, reading)


NO_LABEL = "none"


def _match_by_name(columns: Sequence[str]) -> dict[str, str]:
    """Column of each field that is called as the field is in some files."""
    spelt = {spelling(column): column for column in columns}
    named: dict[str, str] = {}
    for field in [name for name in {**FIELD_NAMES, **_MORE_FIELD_NAMES} if name not in {*_OF_OUR_FILES, "label"}]:
        names = (*FIELD_NAMES.get(field, ()), *_MORE_FIELD_NAMES.get(field, ()))
        free = (spelt[name] for name in names if name in spelt and spelt[name] not in named.values())
        column = next(free, "")
        if column:
            named[field] = column
    if named.get("document", "").lower() == "input" and "contexts" in named:
        named.setdefault("question", named.pop("document"))  # what a system was asked about passages
    return named


_MAY_BE_NAMES = frozenset({"source", "input", "src", "text"})


def _is_short_source(rows: Sequence[Row], column: str) -> bool:
    """True for a column as `source` with the names of corpora or addresses instead of texts."""
    return spelling(column) in _MAY_BE_NAMES and not holds_texts(rows, column)


def _with_longer_document(rows: Sequence[Row], columns: Sequence[str], named: dict[str, str]) -> dict[str, str]:
    """The fields with another document, named as one too, where the first has titles: texts shorter than the summaries."""
    if "document" not in named or "summary" not in named:
        return named
    least = mean_length(rows, named["summary"])
    if mean_length(rows, named["document"]) >= least:
        return named
    free = [column for column in columns if column not in named.values() and text_role(column) is TextRole.DOCUMENT]
    longer = [column for column in free if mean_length(rows, column) >= least]
    return {**named, "document": longer[0]} if longer else named


def _match_by_role(rows: Sequence[Row], columns: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """The first column of texts for each of document and summary that is missing, by a word of its name."""
    roles = {column: text_role(column) for column in columns if holds_texts(rows, column)}
    texts = {"document": TextRole.DOCUMENT, "summary": TextRole.SUMMARY}
    missing = [field for field in texts if field not in named and not (field == "document" and "contexts" in named)]
    first = {field: next((column for column, role in roles.items() if role is texts[field]), "") for field in missing}
    return {field: column for field, column in first.items() if column}


def _label_reading(
    rows: Sequence[Row], columns: Sequence[str], named: Mapping[str, str], stated: Collection[str], label: str
) -> LabelColumn | None:
    if label == NO_LABEL:
        return None
    texts = (named.get("document", ""), named["summary"])
    if not label:
        return choose_label(rows, columns, texts, frozenset(stated))
    return read_as_label(rows, label, texts, label in stated)


def read_as_label(rows: Sequence[Row], column: str, texts: tuple[str, str], stated: bool) -> LabelColumn:
    """A column as the label, of the document and summary `texts`, whatever its values; without a meaning where nothing says it."""
    words = dict.fromkeys(column_words(rows, column))
    unknown = LabelColumn(column, words, Basis.UNKNOWN, "nothing says which of its classes is consistent")
    return read_label(rows, column, texts, stated) or unknown


def with_meanings(columns: ColumnMap, reading: LabelColumn) -> ColumnMap:
    """The mapping with the meanings of a label's words; those without one label nothing."""
    base = columns.flipped() if reading.yes is Verdict.INCONSISTENT and columns.yes else columns
    lists = {
        name: tuple(word for word in getattr(base, name) if word not in reading.meanings)
        for name in ("consistent", "inconsistent", "borderline", "unlabelled")
    }
    for word, verdict in reading.meanings.items():
        name = verdict.value if verdict else "unlabelled"
        lists[name] = (*lists[name], word)
    return base.model_copy(update=lists)


def _with_votes(rows: Sequence[Row], columns: ColumnMap, reading: LabelColumn | None) -> ColumnMap:
    """The mapping with the meanings of what judges say, in columns of their own."""
    words = [word for judge in columns.annotators for word in column_words(rows, judge)]
    listed_words = {*columns.verdicts, *columns.unlabelled}
    meanings = {word: verdict for word in words if word not in listed_words and (verdict := value_direction(word))}
    lists = {
        verdict.value: (*getattr(columns, verdict.value), *(word for word, says in meanings.items() if says is verdict))
        for verdict in {*meanings.values()}
    }
    columns = columns.model_copy(update=lists)
    voters = voting_columns(rows, columns)
    answers = dict.fromkeys(word for judge in voters for word in column_words(rows, judge) if word in ANSWER_WORDS)
    if not answers:
        return columns
    yes = votes_direction(columns)
    if columns.label and reading and reading.yes:
        opposed = yes is not reading.yes if yes else votes_oppose_label(rows, columns)
        return columns.model_copy(update={"opposed": opposed})
    if yes is None:
        return with_meanings(columns, LabelColumn("", dict.fromkeys(answers), Basis.UNKNOWN, ""))
    return columns if (yes is Verdict.CONSISTENT) == columns.yes else columns.flipped()


def votes_direction(columns: ColumnMap) -> Verdict | None:
    """Verdict that a judge's yes states by the names of the judges' columns, as annotator_1_faithful; None without."""
    directions = {_vote_direction(judge) for judge in columns.annotators}
    return directions.pop() if len(directions) == 1 else None


def _vote_direction(judge: str) -> Verdict | None:
    question = _JUDGE_QUESTION.match(judge)
    names = [question[1]] if question else []
    names.append(" ".join(word for word in phrase_words(judge) if word not in PERSON_WORDS))
    return next((verdict for name in names if (verdict := name_direction(name))), None)


def _of_one_question(judges: Sequence[str]) -> tuple[str, ...]:
    """The judges' columns that answer the question of the first whose name has a direction, where any has; else all."""
    directions = {judge: _vote_direction(judge) for judge in judges}
    first = next((verdict for verdict in directions.values() if verdict), None)
    return tuple(judge for judge, verdict in directions.items() if first is None or verdict is first)


def number_columns(rows: Sequence[Row], columns: Sequence[str]) -> list[str]:
    """The columns of numbers that may judge a summary: no ids, times, confidences and counters."""
    return [
        column
        for column in columns
        if _are_numbers(rows, column) and not names_people(column) and not is_measurement(column)
    ]


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
        if not names_people(column) or _NO_JUDGE.search(column):
            continue
        pairs = {(str(row.get(named["summary"])), str(row.get(named.get("document", "")))) for row in rows}
        judged = {
            (str(row.get(named["summary"])), str(row.get(named.get("document", ""))), str(row.get(column)))
            for row in rows
        }
        if len(pairs) < len(judged):
            return {"annotator": column}
    return {}


def _is_vote(rows: Sequence[Row], column: str) -> bool:
    """True for a column of one judge's answers: by its name, and no column of who or when."""
    words = column_words(rows, column)
    if not _JUDGE_NAME.match(column) or is_measurement(column):
        return False
    answered = any(value_direction(word) for word in words if word not in ANSWER_WORDS)
    if names_people(column) and not answered:
        return False
    return bool(words) and all(
        word in ANSWER_WORDS or word in BORDERLINE_WORDS or value_direction(word) or table_number(word) is not None
        for word in words
    )


def _drop_contradicted(named: dict[str, str], rows: Sequence[Row]) -> dict[str, str]:
    """Column of each field, without those whose values contradict their name: an id that repeats is the document's."""
    belied = set()
    if "split" in named and not {*column_words(rows, named["split"])} <= {*SPLIT_WORDS}:
        belied.add("split")
    reading = read_label(rows, named["error_type"]) if "error_type" in named else None
    if reading and {*reading.meanings.values()} >= _SIDES:
        belied.add("error_type")  # a type that says faithful or hallucinated is the label
    if spelling(named.get("error_type", "")) in _MAY_BE_TOPICS and not _names_errors(rows, named["error_type"]):
        belied.add("error_type")
    plausible = {field: column for field, column in named.items() if field not in belied}
    if "id" in plausible and len({str(row.get(plausible["id"])) for row in rows}) < len(rows):
        document, summary = (plausible.get(field, "") for field in ("document", "summary"))
        if begins_again(rows, plausible["id"], document, summary):
            return plausible
        repeated = plausible.pop("id")
        # beside other documents it names none of them
        if not document or names_documents(rows, repeated, document):
            return {"group": repeated, **plausible}
    return plausible


_MAY_BE_TOPICS = frozenset({"category", "type"})


def _names_errors(rows: Sequence[Row], column: str) -> bool:
    """True for a column of which a cell names a kind of error or says that a text is wrong; topics and tasks do neither."""
    words = column_words(rows, column)
    return any(
        parse_error_type(word) is not None
        or value_direction(word) is Verdict.INCONSISTENT
        or {*phrase_words(word)} & _ERROR_WORDS
        for word in words
    )


_ERROR_WORDS = frozenset("error errors omission substitution intrinsic extrinsic entity number negation".split())


def _are_claims(cell: object) -> bool:
    return isinstance(cell, list) and all(isinstance(entry, dict) and "text" in entry for entry in cell)


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


def _are_numbers(rows: Sequence[Row], column: str) -> bool:
    """True if nearly every filled cell is a number or says that there is none."""
    if _NUMBERING_NAME.search(column):
        return False
    words = [label_word(row, column) for row in rows if is_filled(row, column)]
    numbers = sum(table_number(word) is not None for word in words)
    strange = sum(word not in _FAILED_WORDS and table_number(word) is None for word in words)
    return numbers > 0 and numbers * 4 >= len(words) and strange * 10 <= len(words)


def metric_of_column(column: str) -> str:
    """Name of the metric whose scores a column holds, without the side of a pair."""
    return _SIDE_SUFFIX.sub("", column).removeprefix("scores.")


def score_column(column: str, lower_is_better: bool) -> ScoreColumn:
    """A column as scores of a metric, of the edited summaries where its name ends so."""
    side = _SIDE_SUFFIX.search(column)
    edited = side is not None and side[1].lower() == "edited"
    return ScoreColumn(column=column, metric=metric_of_column(column), edited=edited, lower_is_better=lower_is_better)
