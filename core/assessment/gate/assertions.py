"""Assertions of tests on scores and audits, with failures that say what was found; for the fixture `touchstone` of pytest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path

from core.assessment.audit.question import AuditAnswer, Level, MetricAudit
from core.assessment.gate.output import verdict_sentence
from core.assessment.gate.regression import Limit, compare_sides, regressions
from core.assessment.gate.results_file import graded_columns, matched_sides, read_results, unlabelled_cases
from core.errors import UnknownNameError
from core.results import MetricScores, draw_resamples
from core.scoring import JsonRecord

_MOST_NAMED = 5
_MOST_LETTERS = 100


@dataclass(frozen=True, slots=True)
class AuditAssertions:
    """One metric's audit; every method raises AssertionError where it does not hold, and UnknownNameError for a question that does not exist."""

    audit: MetricAudit

    def at_least(self, question: str, value: float) -> None:
        """The figure of a question is not below a value; shares and areas lie in 0..1."""
        __tracebackhide__ = True
        figure = self._measured(question)
        if figure < value:
            raise AssertionError(self._message(question, f"{figure:.3f} is below {value:g}"))

    def at_most(self, question: str, value: float) -> None:
        """The figure of a question is not above a value."""
        __tracebackhide__ = True
        figure = self._measured(question)
        if figure > value:
            raise AssertionError(self._message(question, f"{figure:.3f} is above {value:g}"))

    def passes(self, *questions: str) -> None:
        """Each question has the verdict good or weak; too few pairs are no pass."""
        __tracebackhide__ = True
        for question in questions:
            finding = self.finding(question)
            if finding.level not in (Level.GOOD, Level.WEAK):
                raise AssertionError(self._message(question, f"its verdict is “{finding.level.value}”"))

    def finding(self, question: str) -> AuditAnswer:
        """The finding of a question, for assertions of one's own."""
        finding = self.audit.finding(question)
        if finding is None:
            raise UnknownNameError("question of the audit", question, (other.question for other in self.audit.findings))
        return finding

    def _measured(self, question: str) -> float:
        finding = self.finding(question)
        if finding.figure is None or finding.figure.estimate.value is None:
            raise AssertionError(self._message(question, "there is no figure"))
        return finding.figure.estimate.value

    def _message(self, question: str, what: str) -> str:
        finding = self.finding(question)
        figure = f"{finding.figure.label}: {finding.figure}, n = {finding.figure.estimate.n}" if finding.figure else ""
        pairs = []
        for pair in finding.pairs[:_MOST_NAMED]:
            scores = ["failed" if score is None else f"{score:.3f}" for score in (pair.score_before, pair.score_after)]
            pairs.append(f"  {pair.source}, {pair.remark}: {' → '.join(scores)}: {_shorten(pair.after)}")
        lines = [
            f"{self.audit.metric}, {finding.title} {what}.",
            finding.sentence,
            figure,
            finding.warning,
            *pairs,
            f"In full: {finding.command}" if finding.command else "",
        ]
        return "\n".join(filter(None, lines))


@dataclass(frozen=True, slots=True)
class ScoreAssertions:
    """The scores of one metric of some summaries, as `touchstone.score` gives them; `summaries` are their texts in order."""

    records: Sequence[JsonRecord]
    summaries: Sequence[str]

    def all_scored(self) -> None:
        """No score failed."""
        __tracebackhide__ = True
        failed = [f"  {record['id']}: {record['error']}" for record in self.records if record["score"] is None]
        if failed:
            head = f"{len(failed)} of {len(self.records)} summaries have no score by {self._metric}."
            raise AssertionError("\n".join([head, *failed[:_MOST_NAMED]]))

    def mean_at_least(self, value: float) -> None:
        """The mean score is not below a value, in the units of the metric; a failed score fails it too."""
        __tracebackhide__ = True
        self.all_scored()
        mean = fsum(record["score"] for record in self.records) / max(1, len(self.records))
        if mean < value:
            head = f"The mean score of {len(self.records)} summaries by {self._metric} is {mean:.3f}, below {value:g}. The lowest:"
            raise AssertionError("\n".join([head, *self._lowest()]))

    def each_at_least(self, value: float) -> None:
        """No score is below a value, in the units of the metric."""
        __tracebackhide__ = True
        self.all_scored()
        below = [record for record in self.records if record["score"] < value]
        if below:
            head = f"{len(below)} of {len(self.records)} summaries score below {value:g} by {self._metric}:"
            raise AssertionError("\n".join([head, *self._lowest()]))

    def not_worse_than(self, results: str | Path, fail_on: str = "") -> None:
        """The mean score of the same items is not significantly below that in a file of `touchstone score -o`, and none failed.

        `fail_on` is the drop from which on it fails, as score:-0.02. Raises TouchstoneError where the file shares no item.
        """
        __tracebackhide__ = True
        self.all_scored()
        scores = {record["id"]: float(record["score"]) for record in self.records}
        ours = {self._metric: MetricScores(self._metric, "", scores)}

        limits = [Limit.parse(fail_on)] if fail_on else []
        matched = matched_sides(read_results(Path(results)), ours)
        cases = unlabelled_cases(side for both in matched.values() for side in both)
        comparisons = compare_sides(cases, graded_columns(cases, matched), draw_resamples(cases))
        failed = regressions([change for comparison in comparisons for change in comparison.changes], limits)

        if failed:
            raise AssertionError("\n".join([f"{verdict_sentence([], failed)} The lowest now:", *self._lowest()]))

    @property
    def _metric(self) -> str:
        return str(self.records[0]["metric"]) if self.records else "no metric"

    def _lowest(self) -> list[str]:
        order = sorted(zip(self.records, self.summaries, strict=True), key=lambda both: float(both[0]["score"] or 0.0))
        return [
            f"  {record['id']}: {record['score']:.3f}: {_shorten(text)}"
            for record, text in order[:_MOST_NAMED]
            if record["score"] is not None
        ]


def _shorten(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"
