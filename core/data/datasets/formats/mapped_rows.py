"""Rows of a table read by a mapping of its columns: flat ones out of nested records, and the items that they make."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.data.dataset import Refusal
from core.data.datasets.formats import fields, foreign_records, item_stream
from core.data.datasets.formats.codebook import Codebook
from core.data.datasets.formats.column_map import (
    SPLIT_WORDS,
    UNLABELLED_WORDS,
    ColumnMap,
    is_filled,
    label_word,
    label_words,
)
from core.data.datasets.formats.encodings import decoding_error
from core.data.datasets.formats.grouping import RestartingIds
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.record_shapes import numbered_texts
from core.data.datasets.formats.text_files import Row
from core.data.datasets.formats.text_roles import TextRole, text_role
from core.data.datasets.formats.vote_columns import gather_votes
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Item, Judgement, Rating, StoredScore, Verdict

_TEXT_FIELDS = ("document", "summary", "edited", "edits", "contexts", "claims")
_COPIED_FIELDS = ("id", "edited", "edits", "group", "domain", "title", "contexts", "question", "claims")
_CONTEXT_NAMES = frozenset(item_stream.FIELD_NAMES["contexts"])
"""Columns whose lists and objects are the parts of one document, and not several samples or fields."""
_SLICE_NAMES = frozenset(item_stream.FIELD_NAMES["slices"])
_WORST_FIRST = (Verdict.INCONSISTENT, Verdict.BORDERLINE, Verdict.CONSISTENT)


def flat_rows(row: Row) -> list[Row]:
    """The flat rows of a record, with the votes and marks of each gathered in columns."""
    return [gather_votes(flat) for flat in _rows_of_record(row)]


def _rows_of_record(row: Row) -> list[Row]:
    """A record with the fields of its objects as columns; one that lists the samples of a document is a row for each.

    A chat is the pair of its last answer and of what was said before.
    """
    rows = []
    for record in foreign_records.flat_records(item_stream.pair_of_chat(row)):
        lists = [
            name
            for name, value in record.items()
            if isinstance(value, list)
            and value
            and isinstance(value[0], dict)
            and name not in {*_CONTEXT_NAMES, "claims"}
        ]
        texts = [value for value in record.values() if isinstance(value, str) and " " in value.strip()]
        if (
            len(lists) != 1
            or len(texts) > 1
            or not all(isinstance(entry, dict) for entry in _entries(record, lists[0]))
        ):
            rows.append(_flat_row(record))
            continue
        entries = _entries(record, lists[0])
        if _has_own_summary(record) and not any(_has_document(entry) for entry in entries):
            rows.append(_flat_row(record))  # remarks on a summary are no samples
            continue
        shared = {name: value for name, value in record.items() if name != lists[0]}
        for entry in entries:
            # a field that the document has too stands under the name of the list as well
            own = {f"{lists[0]}.{name}" if name in shared else name: value for name, value in entry.items()}
            rows.append(_flat_row({**shared, **own}))
    return rows


def _has_own_summary(row: Row) -> bool:
    return any(
        isinstance(value, str) and " " in value.strip() and text_role(name) is TextRole.SUMMARY
        for name, value in row.items()
    )


def _has_document(entry: Row) -> bool:
    """True for an entry of a list with a text named as a document's, of which `text` may be any."""
    return any(
        isinstance(value, str) and " " in value.strip() and name != "text" and text_role(name) is TextRole.DOCUMENT
        for name, value in entry.items()
    )


def _entries(row: Row, name: str) -> list[Row]:
    entries = row[name]
    assert isinstance(entries, list)
    return entries


def _flat_row(row: Row) -> Row:
    row = {
        name: texts if isinstance(value, dict) and (texts := numbered_texts(value)) else value
        for name, value in row.items()
    }
    nested = {name for name, value in row.items() if isinstance(value, dict)} - _CONTEXT_NAMES
    if not nested:
        return row
    flat: dict[str, object] = {}
    for name, value in row.items():
        inner = value if name in nested and isinstance(value, dict) else {}
        flat |= {f"{name}.{field}": held for field, held in inner.items()} if name in nested else {name: value}
    return flat


@dataclass(frozen=True, slots=True)
class MappedReader:
    """A mapping in use; what its columns hold and its words mean is worked out once for all rows."""

    columns: ColumnMap
    """The mapping."""
    mapped: dict[str, str]
    """Column of each field that takes one column."""
    verdicts: dict[str, Verdict]
    """Verdict of each word of the label."""
    votes: dict[str, Verdict]
    """Verdict of each word of an annotator."""
    voters: frozenset[str]
    """Columns of annotators that hold votes; the others hold ratings."""
    keeps_garbled: bool
    """True to keep texts that a wrong encoding has mixed up."""
    restarting_ids: RestartingIds | None
    """Names of samples of joined files, whose ids begin again; None where they do not."""
    codebook: Codebook | None
    """Meanings of the codes of the label; None without a label or codes."""

    def items(self, record: Row, place: RecordPlace) -> list[Item]:
        """The items of a record: of one row, or of those of the samples that it lists."""
        name = f"{place.path.stem}-{place.number}"
        rows = flat_rows(record)
        names = [name] if len(rows) == 1 else [f"{name}.{number}" for number in range(1, len(rows) + 1)]
        return [item for row, default in zip(rows, names, strict=True) for item in self._row_items(row, default)]

    def _row_items(self, row: Row, default_id: str) -> list[Item]:
        """The pair of a row and its edit; label, error type and annotators speak of the edit where there is one."""
        if self.codebook:
            self.codebook.check(row)
        values = self._texts(row)
        if self.columns.annotator and not values.get("id"):
            default_id = fields.document_key("\0".join(str(value) for value in values.values()))
        if self.restarting_ids and (name := fields.optional(values, "id")):
            values["id"] = self.restarting_ids.unique(name, (str(values.get("document")), str(values["summary"])))
        if not self.keeps_garbled:
            check_decoding(values)
        columns = own_columns(row, self.mapped)
        made = [replace(item, columns=columns) for item in item_stream.items_of_fields(values, default_id)]
        *plain, last = made
        original = Verdict.CONSISTENT if self.columns.edited_label else None
        label = self.columns.edited_label if plain else None
        return [
            *(replace(item, intended=original, **self._description(item, row)) for item in plain),
            replace(last, **self._description(last, row), **self._judgements(last, row, label)),
        ]

    def _texts(self, row: Row) -> dict[str, object]:
        """The fields that a record has under any importer; those that must not be blank are checked by their column."""
        copied = {field: row.get(self.mapped[field]) for field in _COPIED_FIELDS if field in self.mapped}
        texts = {**copied, "summary": _filled_passage(row, self.mapped["summary"])}
        if "document" not in self.mapped or (texts.get("contexts") and not is_filled(row, self.mapped["document"])):
            return texts
        return {**texts, "document": _filled_passage(row, self.mapped["document"])}

    def _description(self, item: Item, row: Row) -> dict[str, Any]:
        """Fields that both sides of a pair share, and the scores of an item's own side."""
        columns = self.columns
        own = [
            score
            for score in columns.scores
            if score.edited == (item.parent is not None) and is_filled(row, score.column)
        ]
        values = [(score, fields.table_number(row[score.column])) for score in own]

        filled = [column for column in columns.slices if is_filled(row, column)]
        cells = [(column, row[column]) for column in filled]  # a list of names, or a cell as its text
        named_slices = [
            (column, name)
            for column, cell in cells
            for name in item_stream.parse_slices(
                cell if isinstance(cell, list | int) and not isinstance(cell, bool) else str(cell)
            )
        ]
        slice_names = tuple(
            dict.fromkeys(
                name if column.lower() in _SLICE_NAMES else f"{column}: {name}" for column, name in named_slices
            )
        )
        return {
            "system": fields.optional(row, columns.system) if columns.system else "",
            "split": fields.choice(row, columns.split, SPLIT_WORDS) if columns.split else None,
            "slices": slice_names,
            "scores": tuple(
                StoredScore(score.kept_as, -value if score.lower_is_better else value)
                for score, value in values
                if value is not None
            ),
            "failed_scores": tuple(score.kept_as for score, value in values if value is None),
        }

    def _judgements(self, item: Item, row: Row, default: Verdict | None) -> dict[str, Any]:
        """Labels of an item: its verdict, by default `default`, its errors, the votes and the ratings."""
        columns, name = self.columns, item.example.id
        judges = [judge for judge in columns.annotators if is_filled(row, judge)]
        voting = [
            judge for judge in judges if judge in self.voters and label_word(row, judge) not in columns.unlabelled
        ]
        rating = [judge for judge in judges if judge not in self.voters]
        errors: tuple[str, ...] = ()
        if columns.error_type and isinstance(row.get(columns.error_type), list):
            errors = tuple(fields.texts(row, columns.error_type))
        elif columns.error_type:
            text = fields.optional(row, columns.error_type).strip()
            listed = fields.literals(row, columns.error_type) if text.startswith("[") else [text]
            errors = tuple(listed) if text.lower() not in {"", "n/a", "none"} else ()
        kinds = [item_stream.parse_error_type(error) for error in errors]
        votes = tuple(Judgement(name, judge, fields.choice(row, judge, self.votes)) for judge in voting)
        label = self._label(row)
        who = fields.optional(row, columns.annotator) if columns.annotator else ""
        own = (Judgement(name, who, label),) if who and label else ()
        return {
            "intended": label or default or (None if columns.label else majority(votes)),
            "error_type": kinds[0] if len(kinds) == 1 else None,
            "categories": errors,
            "judgements": (*own, *votes),
            "ratings": (
                *(Rating(judge, "rating", _level(row, judge)) for judge in rating),
                *(
                    Rating(who or ALL_JUDGES, aspect, _level(row, aspect))
                    for aspect in columns.ratings
                    if is_filled(row, aspect) and label_word(row, aspect) not in UNLABELLED_WORDS
                ),
            ),
        }

    def _label(self, row: Row) -> Verdict | None:
        """The verdict of a row: of one whose sentences are labelled, that of the worst sentence."""
        column = self.columns.label
        if not column or not is_filled(row, column):
            return None
        words = [word for word in label_words(row, column) if word not in self.columns.unlabelled]
        verdicts = {fields.meaning(column, word, self.verdicts) for word in words}
        return next((verdict for verdict in _WORST_FIRST if verdict in verdicts), None)


def check_decoding(values: Row) -> None:
    """Raises TouchstoneError where a text of these fields was lost or mixed up in a wrong encoding."""
    for field in ("document", "summary", "edited"):
        text = values.get(field)
        if isinstance(text, str) and (error := decoding_error(text)):
            raise TouchstoneError(
                f"The {field} {error} Write the file again from the original texts, name its encoding "
                "(generic[encoding=…]), or keep such texts (generic[garbled=keep])."
            )


def _filled_passage(row: Row, column: str) -> str:
    return fields.passage(row, column) or fields.text(row, column)


def _level(row: Row, column: str) -> float:
    level = fields.table_number(row[column])
    return fields.number(row, column) if level is None else level


def own_columns(row: Row, mapped: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The cells of a row beside its texts, by column: a number as its digits, a list or an object as JSON."""
    texts = {mapped[field] for field in _TEXT_FIELDS if field in mapped}
    return tuple((name, _cell_text(name, cell)) for name, cell in row.items() if name and name not in texts)


def _cell_text(name: str, cell: object) -> str:
    if cell is None or (isinstance(cell, str | int) and not isinstance(cell, bool)):
        return fields.clean_text(name, cell)
    if isinstance(cell, float):
        return fields.clean_text(name, cell) if cell != cell or cell.is_integer() else repr(cell)
    return json.dumps(cell, ensure_ascii=False, default=str)


def merge_judges(records: Iterable[Item | Refusal]) -> Iterator[Item | Refusal]:
    """The samples of a table with a row for each judge, each once: its label is that of most judges, none where they tie."""
    merged: dict[str, Item] = {}
    for record in records:
        if isinstance(record, Refusal):
            yield record
            continue
        before = merged.get(record.example.id, record)
        if before.example != record.example:
            yield Refusal(0, f"The id {record.example.id!r} has several summaries or documents. Map no id, or another.")
        elif before is record:
            merged[record.example.id] = record
        else:
            merged[record.example.id] = replace(
                before,
                judgements=tuple(dict.fromkeys((*before.judgements, *record.judgements))),
                ratings=tuple(dict.fromkeys((*before.ratings, *record.ratings))),
                categories=tuple(dict.fromkeys((*before.categories, *record.categories))),
            )
    for item in merged.values():
        yield replace(item, intended=majority(item.judgements)) if item.judgements else item


def majority(votes: Iterable[Judgement]) -> Verdict | None:
    """Verdict of most votes; None where they tie or there is none."""
    counted = Counter(vote.verdict for vote in votes).most_common(2)
    tied = len(counted) == 2 and counted[0][1] == counted[1][1]
    return None if tied or not counted else counted[0][0]
