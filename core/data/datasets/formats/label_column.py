"""The column of a table that is its label, what each of its words means, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from core.data.datasets.formats.column_map import (
    ANSWER_WORDS,
    BORDERLINE_WORDS,
    CROSSES,
    NLI_COLUMNS,
    NO_ANSWERS,
    UNLABELLED_WORDS,
    YES_ANSWERS,
    is_filled,
    label_words,
)
from core.data.datasets.formats.fields import table_number
from core.data.datasets.formats.polarity import (
    is_measurement,
    name_direction,
    names_people,
    opposite,
    phrase_words,
    value_direction,
)
from core.data.datasets.formats.polarity_words import PLAIN_WORDS
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Verdict

LABEL_NAMES = (
    *(
        "label",
        "verdict",
        "intended",
        "labels",
        "gold",
        "gold_label",
        "human_label",
        "sentence_labels",
        "sentence_label",
    ),
    *("feedback", "target", "class", "annotation", "result", "judgement", "judgment", "y", "ground_truth", "outcome"),
    *("answer", "decision"),
)
"""Names of a label that say nothing about its direction."""

_SCORE_NOUNS = frozenset(
    "score scores prob probability rate ratio p percent pct count counts num pred predicted prediction".split()
)
_LABEL_NOUNS = frozenset("label labels verdict judgement judgment annotation class gold decision vote".split())
_NEUTRAL = PLAIN_WORDS | _LABEL_NOUNS | {"true", "ground", "truth", "reference"}
TEXT_ENDINGS = ("_text", "_name", "_str", "_string", "_words", "_label", "_desc", "_description", "_meaning")
"""Ends of the name of a column that says in words what the codes of another mean."""

_MOST_CLASSES = 8  # words of a label
_MOST_NUMBERED = 4  # entailment, neutral, contradiction, and no label
_NLI_LETTERS = frozenset({"e", "n", "c"})
_LONGEST_CLASS = 40  # characters


class Basis(StrEnum):
    """Ground on which a column is taken for something."""

    STATED = "stated"
    CERTAIN = "certain"
    GUESSED = "guessed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """A column that may be the label: the meaning of each of its words, None for one that says nothing yet."""

    column: str
    meanings: Mapping[str, Verdict | None]
    basis: Basis
    reason: str
    rivals: tuple[str, ...] = field(default=())

    @property
    def yes(self) -> Verdict | None:
        """Verdict that yes, 1 or true states here."""
        says = {verdict for word, verdict in self.meanings.items() if word in YES_ANSWERS}
        says |= {opposite(verdict) for word, verdict in self.meanings.items() if word in NO_ANSWERS and verdict}
        return says.pop() if len(says) == 1 else None


def spelling(column: str) -> str:
    """A name in lower case with underscores."""
    return "_".join(column.lower().replace("-", " ").split())


def column_words(rows: Sequence[Row], column: str) -> list[str]:
    """The distinct words of a column in order of appearance, without those that say that there is no label."""
    cells = (label_words(row, column) for row in rows if is_filled(row, column))
    return list(dict.fromkeys(word for cell in cells for word in cell if word not in UNLABELLED_WORDS))


def read_label(
    rows: Sequence[Row], column: str, texts: tuple[str, str] = ("", ""), stated: bool = False
) -> LabelColumn | None:
    """A column as a label, of the document and summary `texts`; None where its values are none of a label."""
    words = column_words(rows, column)
    if not words or len(words) > _MOST_CLASSES:
        return None
    asked = [word for word in words if word not in BORDERLINE_WORDS]
    if asked and all(word in ANSWER_WORDS for word in asked):
        return _answers(column, words, texts)
    meanings = {word: _word_meaning(word) for word in words}
    cells = [word for row in rows if is_filled(row, column) for word in label_words(row, column)]
    settled = sum(meanings.get(word) is not None for word in cells)
    levels = any(
        table_number(word) is not None and word not in ANSWER_WORDS for word in words if word not in BORDERLINE_WORDS
    )
    sides = _SIDES & {*meanings.values()}
    if sides and (settled * 2 >= len(cells) or sides == _SIDES) and not levels:
        basis = Basis.STATED if stated else Basis.CERTAIN
        reason = "by the classes that the file names" if stated else "by its words"
        return LabelColumn(column, meanings, basis, reason)
    return None


_SIDES = frozenset({Verdict.CONSISTENT, Verdict.INCONSISTENT})


def _word_meaning(word: str) -> Verdict | None:
    if word in BORDERLINE_WORDS:
        return Verdict.BORDERLINE
    return None if word in ANSWER_WORDS and value_direction(word) is None else value_direction(word)


def _answers(column: str, words: Sequence[str], texts: tuple[str, str]) -> LabelColumn:
    """A column of yes and no, whose meaning its name gives or nothing."""
    direction = name_direction(column)
    crossed = "x" in words and not {*words} & CROSSES.keys() - {"x"}  # a mark in some rows, nothing in the others
    meanings: dict[str, Verdict | None] = {}
    for word in words:
        says = word in YES_ANSWERS or (word == "x" and crossed)
        meanings[word] = (direction if says else opposite(direction)) if direction else None
    meanings |= {word: Verdict.BORDERLINE for word in words if word in BORDERLINE_WORDS}
    if direction:
        return LabelColumn(column, meanings, Basis.CERTAIN, f"by its name, yes or 1 is {direction}")
    nli = tuple(text.lower() for text in texts) in NLI_COLUMNS
    reason = "datasets of NLI mostly count entailment as 0" if nli else "its name does not say which way round"
    return LabelColumn(column, meanings, Basis.GUESSED, reason)


def _classes(rows: Sequence[Row], column: str) -> LabelColumn | None:
    """A column with the name of a label whose few classes, 1 and 2 or a and b, do not say what they mean."""
    words = column_words(rows, column)
    cells = [word for row in rows if is_filled(row, column) for word in label_words(row, column)]
    numbers = {table_number(word) for word in words if not word.endswith("%")} if words else set()
    numbered = bool(numbers) and numbers <= {-1, 0, 1, 2, 3} and len(words) <= _MOST_NUMBERED
    lettered = {*words} <= _NLI_LETTERS and {*words} != {"n"}
    named = 2 <= len(words) <= _MOST_NUMBERED and len(words) < len(cells) and numbers == {None}
    if not (numbered or named or lettered) or any(len(word) > _LONGEST_CLASS for word in words):
        return None
    return LabelColumn(column, dict.fromkeys(words), Basis.UNKNOWN, "nothing says which of its classes is consistent")


def choose_label(
    rows: Sequence[Row], columns: Sequence[str], texts: tuple[str, str], stated: frozenset[str] = frozenset()
) -> LabelColumn | None:
    """The label among some columns: one whose words or name settle its direction, before one that has to be asked about.

    Where several are settled and contradict each other none is chosen but by its name. Raises TouchstoneError with the row
    where a column of numbers and one of words beside it, as `label` and `label_text`, contradict each other.
    """
    candidates = [
        column
        for column in columns
        if not is_measurement(column)
        and not _is_person(rows, column)
        and not {*phrase_words(column)} & _SCORE_NOUNS
        and not _lists_labels(rows, column)
    ]
    readings = {
        column: reading for column in candidates if (reading := read_label(rows, column, texts, column in stated))
    }
    by_name = sorted(
        (column for column in candidates if spelling(column) in LABEL_NAMES),
        key=lambda column: LABEL_NAMES.index(spelling(column)),
    )
    settled = [reading for reading in readings.values() if _is_settled(reading)]
    for column in by_name:
        _check_codebook(rows, column, settled)
    named = [readings[column] for column in by_name if column in readings]
    preferred = next((reading for reading in named if _is_settled(reading)), None)
    if preferred:
        return preferred
    others = [
        reading
        for reading in readings.values()
        if reading not in (*named, *settled)
        and {*phrase_words(reading.column)} & _LABEL_NOUNS
        and {*phrase_words(reading.column)} <= _NEUTRAL
    ]
    classes = (reading for column in by_name if (reading := _classes(rows, column)))
    unsettled = next(iter([*named, *others]), None) or next(classes, None)
    # words of one side in a column of another name, as kinds of errors, are no label
    settled = [reading for reading in settled if _has_both_sides(reading) or reading.yes]
    if unsettled:
        explaining = [
            reading for reading in settled if _has_both_sides(reading) and _explains(rows, reading, unsettled.column)
        ]
        return explaining[0] if explaining else unsettled
    if not settled:
        answered = [reading for reading in readings.values() if _is_yes_or_no(reading)]
        return answered[0] if len(answered) == 1 else None
    first, *more = settled
    rivals = tuple(reading.column for reading in more if _contradict(rows, first, reading))
    if rivals:
        return LabelColumn("", {}, Basis.UNKNOWN, "several columns may be the label", (first.column, *rivals))
    return next((reading for reading in settled if _has_both_sides(reading)), first)


def _lists_labels(rows: Sequence[Row], column: str) -> bool:
    """True if a cell is a list of labels of which the row does not say what they are about."""
    rows_with_lists = (row for row in rows if isinstance(cell := row.get(column), list) and len(cell) > 1)
    return any(len(label_words(row, column)) == 1 for row in rows_with_lists)


def _is_person(rows: Sequence[Row], column: str) -> bool:
    """True for a column of people, unless it holds answers in words."""
    return names_people(column) and not any(
        value_direction(word) for word in column_words(rows, column) if word not in ANSWER_WORDS
    )


def _is_settled(reading: LabelColumn) -> bool:
    return any(verdict in _SIDES for verdict in reading.meanings.values())


def _has_both_sides(reading: LabelColumn) -> bool:
    return {*reading.meanings.values()} >= _SIDES


def _is_yes_or_no(reading: LabelColumn) -> bool:
    """True for yes and no in words or marks; 0 and 1 under another name may be anything."""
    words = reading.meanings
    return len(words) == 2 and all(word in ANSWER_WORDS and table_number(word) is None for word in words)


def _contradict(rows: Sequence[Row], first: LabelColumn, second: LabelColumn) -> bool:
    """True if a row has another verdict in the one column than in the other."""
    return any(
        (ours := _verdict(row, first)) in _SIDES and (theirs := _verdict(row, second)) in _SIDES and ours is not theirs
        for row in rows
    )


def _verdict(row: Row, reading: LabelColumn) -> Verdict | None:
    words = label_words(row, reading.column) if is_filled(row, reading.column) else []
    return reading.meanings.get(words[0]) if len(words) == 1 else None


def _explains(rows: Sequence[Row], reading: LabelColumn, column: str) -> bool:
    """True if every class of a column stands beside the same verdict in all rows, and not all beside one."""
    verdicts: dict[str, Verdict] = {}
    for row in rows:
        verdict = _verdict(row, reading)
        if verdict is None or not is_filled(row, column):
            continue
        if verdicts.setdefault(label_words(row, column)[0], verdict) is not verdict:
            return False
    return len({*verdicts.values()}) > 1


def _check_codebook(rows: Sequence[Row], column: str, settled: Sequence[LabelColumn]) -> None:
    """Compare the classes of a column with the words beside it."""
    name = spelling(column)
    for reading in settled:
        if spelling(reading.column) not in {f"{name}{ending}" for ending in TEXT_ENDINGS}:
            continue
        meanings: dict[str, tuple[Verdict, int]] = {}
        for number, row in enumerate(rows, start=1):
            verdict = _verdict(row, reading)
            if verdict is None or not is_filled(row, column):
                continue
            [*words] = label_words(row, column)
            before, where = meanings.setdefault(words[0], (verdict, number))
            if before is not verdict:
                raise TouchstoneError(
                    f"Row {number} contradicts row {where}: {column} is {words[0]} in both, and {reading.column} says {verdict} here and "
                    f"{before} there. Correct the row, or leave one of the two columns out."
                )
