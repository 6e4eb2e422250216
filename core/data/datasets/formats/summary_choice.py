"""Choice of the summary among several columns of texts: that of the system, never the reference beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.data.datasets.formats.column_map import ColumnMap
from core.data.datasets.formats.text_files import Row, shorten

_SYSTEM_NAME = re.compile(
    r"(candidate|generat(ed|ion)|predict(ed|ion)|pred|decoded|hypothesis|hyp|(actual_)?output|response|completion"
    r"|(model|system|sys|llm|machine|ai|bot|assistant)_(summary|summ|output|response|answer|text|generation))s?"
    r"(_(summary|summ|text|output|response|answer))?"
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
    plain = {column: _plain(column) for column in columns if _holds_texts(rows, column)}
    if _PART_NAMES & {*plain.values()}:
        return "", ()
    systems = [column for column, name in plain.items() if _SYSTEM_NAME.fullmatch(name)]
    neutral = [column for column, name in plain.items() if name in _NEUTRAL_NAMES]
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
    return (mapped.summary, *others) if others and mapped.summary == column else ()


def summary_question(rows: Sequence[Row], mapped: ColumnMap) -> str:
    """Ask which column is the summary where several may be, with their texts in the first row; "" where the names tell."""
    columns = open_summary(rows, mapped)
    if not columns:
        return ""
    doubt = (
        f"{', '.join(columns)} may each be the summary"
        if len(columns) > 1
        else f"no column but {mapped.summary}, which names a reference, may be the summary"
    )
    shown = "\n".join(f"  {column}: {shorten(rows[0].get(column))}" for column in columns)
    ways = " or ".join(f"--summary {column}" for column in columns)
    return f"{doubt}. In the first row:\n{shown}\nSay which is the text of the system: {ways}, in a spec generic[summary={mapped.summary}]."


def with_summary(columns: ColumnMap, summary: str) -> ColumnMap:
    """The mapping with another column as the summary, which it is then for nothing else."""
    others = {field: "" for field, column in columns.single().items() if column == summary and field != "summary"}
    return columns.model_copy(update={**others, "summary": summary})


def _plain(column: str) -> str:
    return "_".join(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column).lower().replace("-", " ").replace(".", " ").split())


def _holds_texts(rows: Sequence[Row], column: str) -> bool:
    cells = [row.get(column) for row in rows]
    return sum(isinstance(cell, str) and " " in cell.strip() for cell in cells) * 2 > len(rows)
