"""Choice of the summary among several columns of texts: that of the system, never the reference beside it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from core.data.datasets.formats.column_map import ColumnMap
from core.data.datasets.formats.text_files import Row, shorten
from core.data.datasets.formats.text_roles import TextRole, holds_texts, mean_length, text_role

_SYSTEM_NAME = re.compile(
    r"(candidate|generat(ed|ion)|predict(ed|ion)|pred|decoded|hypothesis|hyp|(actual_)?output|response|completion"
    r"|(model|system|sys|llm|machine|ai|bot|assistant)_(summary|summ|output|response|answer|text|generation))s?"
    r"(_(summary|summ|text|output|response|answer))?"
)
_SYSTEM_ENDING = re.compile(
    r"((?!summary).+_)?(response|output|prediction|generation|completion|answer|reply|hypothesis|hyp)s?(_text)?"
)
_REFERENCE_NAME = re.compile(
    r"(reference|ref|gold(en)?|target|tgt|ground_?truth|expected|ideal|human|highlights?|abstract)s?"
    r"(_(summary|summ|text|output|response|answer|standard))?|highlights?|original_summary|correct_answer"
)
_NEUTRAL_NAMES = frozenset({"summary", "summ"})
_PART_NAMES = frozenset(
    {"claim", "sentence", "summ_sent", "summary_sentence", "statement", "premise", "sentence1", "sentence2"}
)
"""Names of parts of a summary, of which a label speaks, and of the texts of NLI."""


def is_reference_name(column: str) -> bool:
    """True for a name of the text that a summary is compared with."""
    return _REFERENCE_NAME.fullmatch(_plain(column)) is not None


def choose_summary(rows: Sequence[Row], columns: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The column with the system's text and the others that could be the summary.

    A name of a system's text wins over summary, and summary over a reference; ("", ()) where a single column or none has such a
    name. The choice is certain without others, and else a guess that a person should confirm.
    """
    plain = {
        column: _plain(column) for column in columns if holds_texts(rows, column) and not _holds_lists(rows, column)
    }
    if _PART_NAMES & {*plain.values()}:
        return "", ()
    systems = [column for column, name in plain.items() if _SYSTEM_NAME.fullmatch(name)]
    roles = {column: text_role(column) for column in plain}
    systems += [
        column
        for column in plain
        if roles[column] is TextRole.SUMMARY and _SYSTEM_ENDING.fullmatch(plain[column]) and column not in systems
    ]
    neutral = [column for column, name in plain.items() if name in _NEUTRAL_NAMES]
    if len(systems) > 1:
        neutral += [column for column, name in plain.items() if name == "answer" and column not in systems]
    references = [column for column in plain if is_reference_name(column) and column not in systems]
    ranked = [*systems, *neutral, *references]
    if len(ranked) < 2:
        return "", ()
    return ranked[0], tuple(column for column in ranked[1:] if column not in references or not (systems or neutral))


def open_summary(rows: Sequence[Row], mapped: ColumnMap) -> tuple[str, ...]:
    """The columns of which a person has to say which is the system's text, the guess first; none where the names tell.

    A summary that was edited has its edit beside it, so that the name of an original is no reference there.
    """
    if mapped.edited or mapped.edits:
        return ()
    columns = list(dict.fromkeys(name for row in rows for name in row if name))
    column, others = choose_summary(rows, columns)
    if is_reference_name(mapped.summary):
        return (mapped.summary,)
    if others and mapped.summary == column:
        return (mapped.summary, *others)
    role = text_role(mapped.summary)
    is_bare_answer = _plain(mapped.summary) == "answer" and not (mapped.document or mapped.contexts or mapped.label)
    if role is TextRole.SUMMARY and not is_bare_answer:
        return ()
    unnamed = [name for name in _other_texts(rows, mapped) if text_role(name) in (TextRole.UNKNOWN, TextRole.SUMMARY)]
    if role is TextRole.UNKNOWN and mapped.document and text_role(mapped.document) is TextRole.DOCUMENT and not unnamed:
        return ()  # the only text beside a document
    if mapped.document and text_role(mapped.document) is TextRole.UNKNOWN:
        unnamed = [mapped.document, *unnamed]
    return (mapped.summary, *unnamed)


def open_document(rows: Sequence[Row], mapped: ColumnMap) -> tuple[str, ...]:
    """The columns of which a person has to say which is the document, the guess first; none where the names tell.

    A long text that its name calls a reference, as gold_passage, may be the document where no other is.
    """
    if not mapped.document:
        least = mean_length(rows, mapped.summary) * _MUCH_LONGER
        return tuple(
            name
            for name in _other_texts(rows, mapped, lists=True)
            if not mapped.contexts and text_role(name) is TextRole.REFERENCE and mean_length(rows, name) >= least
        )
    role = text_role(mapped.document)
    if _plain(mapped.document) == "input" and mean_length(rows, mapped.document) > mean_length(rows, mapped.summary):
        return ()
    least = mean_length(rows, mapped.summary if role is TextRole.DOCUMENT else mapped.document) / _MUCH_SHORTER
    same = [
        name
        for name in _other_texts(rows, mapped, lists=role is TextRole.DOCUMENT)
        if text_role(name) is role and mean_length(rows, name) >= least and _differ(rows, name, mapped.document)
    ]
    return (mapped.document, *same) if same or role is not TextRole.DOCUMENT else ()


_MUCH_SHORTER = 2  # times
_MUCH_LONGER = 3  # times; a reference is about as long as the summary


def _differ(rows: Sequence[Row], first: str, second: str) -> bool:
    return any(row.get(first) != row.get(second) for row in rows)


def _other_texts(rows: Sequence[Row], mapped: ColumnMap, *, lists: bool = False) -> list[str]:
    """The columns of texts that the mapping does not use, without those of lists unless `lists`."""
    used = {column for _, column in mapped.used()}
    names = dict.fromkeys(name for row in rows for name in row if name and name not in used)
    return [name for name in names if holds_texts(rows, name) and (lists or not _holds_lists(rows, name))]


def _holds_lists(rows: Sequence[Row], column: str) -> bool:
    """True for parts of a text, such as claims, which are no text beside a whole one."""
    return any(isinstance(row.get(column), list) for row in rows)


def text_question(
    rows: Sequence[Row], mapped: ColumnMap, *, document_said: bool = False, summary_said: bool = False
) -> str:
    """Ask which columns are the summary and the document where the names do not tell, with their texts in the first row."""
    questions = [
        "" if summary_said else summary_question(rows, mapped),
        "" if document_said else document_question(rows, mapped),
    ]
    return "\n".join(filter(None, questions))


def summary_question(rows: Sequence[Row], mapped: ColumnMap) -> str:
    """Ask which column is the summary where several may be, with their texts in the first row; "" where the names tell."""
    columns = open_summary(rows, mapped)
    if not columns:
        return ""
    doubt = (
        f"{', '.join(columns)} may each be the summary"
        if len(columns) > 1
        else f"no column but {mapped.summary}{_NAMED[text_role(mapped.summary)]}, may be the summary"
    )
    ways = " or ".join(f"--summary {shlex.quote(column)}" for column in columns)
    return f"{doubt}. In the first row:\n{_shown(rows, columns)}\nSay which is the text of the system: {ways}, in a spec generic[summary={mapped.summary}]."


def document_question(rows: Sequence[Row], mapped: ColumnMap) -> str:
    """Ask which column is the document where only its length suggests it, with its text in the first row; "" where its name tells."""
    columns = open_document(rows, mapped)
    if not columns:
        return ""
    ways = " or ".join(f"--document {shlex.quote(column)}" for column in (*columns, NO_DOCUMENT))
    return (
        f"{', '.join(columns)} may{' each' if len(columns) > 1 else ''} be the document, and the names do not say it. In the first row:\n"
        f"{_shown(rows, columns)}\nSay which is what the summary is checked against: {ways}, in a spec "
        f"generic[document={columns[0]}]."
    )


NO_DOCUMENT = "none"
"""Answer for a table without the documents' texts."""

_NAMED = {
    TextRole.REFERENCE: ", which names a reference",
    TextRole.OTHER: ", which names no text of a system",
    TextRole.DOCUMENT: ", which names a document",
    TextRole.SUMMARY: ", which may be the right answer to its question",
    TextRole.UNKNOWN: ", whose name does not say it",
}


def _shown(rows: Sequence[Row], columns: Sequence[str]) -> str:
    first = {column: next((row[column] for row in rows if row.get(column)), None) for column in columns}
    return "\n".join(f"  {column}: {shorten(first[column])}" for column in columns)


def with_document(columns: ColumnMap, document: str) -> ColumnMap:
    """The mapping with another column as the document, or without one for NO_DOCUMENT."""
    if document == NO_DOCUMENT:
        return columns.model_copy(update={"document": ""})
    others = {field: "" for field, column in columns.single().items() if column == document and field != "document"}
    return columns.model_copy(update={**others, "document": document})


def with_summary(columns: ColumnMap, summary: str) -> ColumnMap:
    """The mapping with another column as the summary, which it is then for nothing else."""
    others = {field: "" for field, column in columns.single().items() if column == summary and field != "summary"}
    return columns.model_copy(update={**others, "summary": summary})


def _plain(column: str) -> str:
    return "_".join(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column).lower().replace("-", " ").replace(".", " ").split())
