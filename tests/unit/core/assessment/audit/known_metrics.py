"""Metrics of which the verdict is known beforehand: one that counts letters, one that compares with the original, and one that knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import ClassVar

import pytest

from core.edits.battery import standard_battery
from core.edits.perturbation import Perturbation
from core.errors import UnscorableError
from core.scoring.metric import METRICS, Card, Metric
from core.text.edits import apply
from core.types import Answer, Example, Item, Question, Score, Verdict

CARD = Card(
    title="Known", family="Test", measures="Nothing.", paper="None", url="https://example.org", low=0.0, high=1.0
)


@dataclass(frozen=True)
class Length(Metric):
    """The number of letters of the summary."""

    name: ClassVar[str] = "known-length"
    card: ClassVar[Card] = replace(CARD, high=None)

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
        return Score(float(len(example.summary)))


@dataclass(frozen=True)
class Difference(Metric):
    """How much of the words is as in the first summary of the data that the document is known by."""

    name: ClassVar[str] = "known-difference"
    card: ClassVar[Card] = CARD
    originals: ClassVar[dict[str, str]] = {}

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
        known = next((summary for document, summary in self.originals.items() if document in example.document), "")
        return Score(SequenceMatcher(None, known.split(), example.summary.split(), autojunk=False).ratio())


@dataclass(frozen=True)
class Oracle(Metric):
    """0 for a summary that is known to be broken, whatever stands around it, or stands beside another document, 1 for any other."""

    name: ClassVar[str] = "known-oracle"
    card: ClassVar[Card] = CARD
    broken: ClassVar[Set[str]] = frozenset()

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
        known = example.summary in self.broken or any(
            example.summary.startswith(one) or example.summary.endswith(one) for one in self.broken
        )
        return Score(1.0 if _is_beside_its_own(example) and not known else 0.0)


def _is_beside_its_own(example: Example) -> bool:
    """True if half of its words are in the first summary of a document that it stands beside."""
    found = set(example.summary.split())
    summaries = [summary for document, summary in Difference.originals.items() if document in example.document]
    return any(2 * len(found & set(summary.split())) > len(found) for summary in summaries)


KNOWN = (Length, Difference, Oracle)


@contextmanager
def known_metrics(items: Iterable[Item], broken: Set[str]) -> Iterator[list[str]]:
    """Their specs, registered for the block, with what they know of these items and of all that is broken."""
    METRICS.names()
    with pytest.MonkeyPatch.context() as patch:
        for one in KNOWN:
            patch.setitem(METRICS._classes, one.name, one)
        patch.setattr(
            Difference, "originals", {one.example.document: one.example.summary for one in reversed([*items])}
        )
        patch.setattr(Oracle, "broken", broken)
        yield [one.name for one in KNOWN]


def broken_summaries(items: Iterable[Item], seed: int) -> Iterator[str]:
    """Those that are labelled so, and what breaking rules make of the others."""
    kinds = standard_battery().of_intent("breaking")
    for item in items:
        if item.intended is Verdict.INCONSISTENT:
            yield item.example.summary
        else:
            yield from (made for kind in kinds if (made := variant(kind, item.example, seed)))


def variant(kind: Perturbation, example: Example, seed: int) -> str:
    """The summary that a stress run makes; empty where the kind does not apply."""
    rounds = kind.rounds(example, seed)
    next(rounds)
    try:
        rounds.send([])
    except StopIteration as made:
        return apply(example.summary, made.value)
    except UnscorableError:
        return ""
    raise AssertionError("A rule asks nothing.")
