"""Labels that a row spreads over several cells, as columns of words: marks under `consistent` or `inconsistent`, and lists of votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.data.datasets.formats.column_map import NO_ANSWERS, YES_ANSWERS
from core.data.datasets.formats.fields import as_word
from core.data.datasets.formats.polarity import (
    name_direction,
    names_people,
    phrase_words,
    value_direction,
    word_direction,
)
from core.data.datasets.formats.polarity_words import DETERMINERS, NEGATIONS
from core.data.datasets.formats.record_shapes import is_of_claims
from core.data.datasets.formats.text_files import Row
from core.types import Verdict

_MARKS = (YES_ANSWERS | {"x"}) - {"1.0"}
_NO_MARKS = (NO_ANSWERS - {"x", "0.0"}) | {"", "none", "nan"}
_BOTH = "both marked"
_JUDGE = "annotator"


def gather_votes(row: Row) -> Row:
    """The row with a label for marks in two columns of opposite names, and a column for each vote of a list; else as it is."""
    return _listed_votes(_marked_label(row))


def _marked_label(row: Row) -> Row:
    """One label for the cells of columns as `consistent` and `inconsistent`, of which one is marked in each row.

    The row in which both are marked says so, and that in which none is has no label.
    """
    marked = {name: verdict for name in row if (verdict := name_direction(name)) and _is_mark(row[name])}
    stems = {name: name.rpartition(".")[0] for name in marked}
    for stem in dict.fromkeys(stems.values()):
        names = [name for name in marked if stems[name] == stem]
        label = stem or "label"
        if (
            len(names) != 2
            or len({_about(name) for name in names}) > 1
            or {marked[name] for name in names} != _SIDES
            or label in row
        ):
            continue
        says = [marked[name].value for name in names if as_word(row[name]) in _MARKS]
        cell = _BOTH if len(says) == 2 else next(iter(says), None)
        return {**{name: value for name, value in row.items() if name not in names}, label: cell}
    return row


def _about(name: str) -> frozenset[str]:
    """The words of a name without those of its direction: human and model are two opinions, and no marks of one."""
    words = phrase_words(name.rpartition(".")[2])
    return frozenset(word for word in words if not word_direction(word) and word not in NEGATIONS | DETERMINERS)


_SIDES = {Verdict.CONSISTENT, Verdict.INCONSISTENT}


def _is_mark(cell: object) -> bool:
    return cell is None or (not isinstance(cell, float) and as_word(cell) in _MARKS | _NO_MARKS)


def _listed_votes(row: Row) -> Row:
    """A column for each vote of a list that stands beside a list of who voted, or of a list of labels without sentences."""
    lists = {name: value for name, value in row.items() if isinstance(value, list) and _is_vote_list(value)}
    for name, votes in lists.items():
        if _has_parallel_texts(row, votes) or is_of_claims(name):
            continue
        stem, _, question = name.rpartition(".")
        voters = (
            people
            for other, people in row.items()
            if isinstance(people, list) and _names_voters(other, stem, people, len(votes))
        )
        who = next(voters, None)
        names = [str(person) for person in who] if who else [str(number) for number in range(1, len(votes) + 1)]
        if len({*names}) < len(names):
            continue
        cells = {f"{_JUDGE}_{person}_{question}": vote for person, vote in zip(names, votes, strict=True)}
        return {**{other: value for other, value in row.items() if other != name and value is not who}, **cells}
    return row


def _is_vote_list(value: list[object]) -> bool:
    words = [as_word(vote) for vote in value if vote is not None]
    return (
        len(value) > 1
        and bool(words)
        and all(word in YES_ANSWERS | NO_ANSWERS or value_direction(word) for word in words)
    )


def _names_voters(name: str, stem: str, people: list[object], number: int) -> bool:
    return len(people) == number and name.rpartition(".")[0] == stem and names_people(name.rpartition(".")[2])


def _has_parallel_texts(row: Mapping[str, object], votes: Sequence[object]) -> bool:
    """True where another list has a text for each vote: those are labels of sentences."""
    return any(
        isinstance(value, list)
        and len(value) == len(votes)
        and all(isinstance(text, str) and " " in text for text in value)
        for value in row.values()
    )
