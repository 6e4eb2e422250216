"""Counts of verdicts that the audit gave on metrics of known worth, and how many were false; `make false-verdicts` counts again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from core.assessment.audit.question import JUDGED_LEVELS, Level, ordered_questions

_FILE = Path(__file__).with_name("false_verdicts.json")


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """Verdicts of one level on one question, over all metrics and seeds; `false` are those that the metric did not deserve."""

    question: str
    title: str
    level: Level
    given: int
    false: int


@dataclass(frozen=True, slots=True)
class FalseVerdicts:
    """The counts, with the metrics, seeds and data that they are of; `problems` name every false verdict."""

    metrics: tuple[str, ...]
    seeds: tuple[int, ...]
    data: str
    counts: tuple[VerdictCount, ...]
    problems: tuple[str, ...] = ()

    def total(self, level: Level | None = None) -> VerdictCount:
        """The counts of one level over all questions, or of all."""
        counts = [count for count in self.counts if level in (None, count.level)]
        verdicts, false = sum(count.given for count in counts), sum(count.false for count in counts)
        return VerdictCount("", "All questions", level or Level.MEASURED, verdicts, false)

    def rows(self) -> list[tuple[str, list[VerdictCount | None]]]:
        """A row for each question, in their order, with its good, weak and failing verdicts, None where none of that level was given."""
        places = {(count.title, count.level): count for count in self.counts}
        titles = [question.title for question in ordered_questions()]
        rows = [(title, [places.get((title, level)) for level in JUDGED_LEVELS]) for title in titles]
        return [(title, counts) for title, counts in rows if any(counts)]


_ADAPTER: TypeAdapter[FalseVerdicts] = TypeAdapter(FalseVerdicts)


@cache
def false_verdicts() -> FalseVerdicts:
    """The counts that come with Touchstone."""
    return _ADAPTER.validate_json(_FILE.read_bytes())


def write_false_verdicts(verdicts: FalseVerdicts) -> None:
    _FILE.write_bytes(_ADAPTER.dump_json(verdicts, indent=1) + b"\n")


def count_verdicts(judged: Iterable[tuple[str, str, Level, bool]]) -> tuple[VerdictCount, ...]:
    """Counts of verdicts, each with its question, the question's title, its level and whether it is false."""
    falsity: dict[tuple[str, str, Level], list[bool]] = {}
    for question, title, level, false in judged:
        falsity.setdefault((question, title, level), []).append(false)
    return tuple(
        VerdictCount(question, title, level, len(of), sum(of)) for (question, title, level), of in falsity.items()
    )
