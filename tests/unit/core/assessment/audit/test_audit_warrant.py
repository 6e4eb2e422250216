"""An audit says of a metric no more than its intervals allow: in slices, in its one line, and of what never reads the document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from core.assessment.audit.audit_report import audit_metrics
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import AuditAnswer, Level
from core.assessment.audit.questions.reads_document import ReadsDocumentQuestion
from core.assessment.audit.questions.sees_errors import SeesErrorsQuestion
from core.assessment.audit.questions.slices import SlicesQuestion
from core.results.runs.placement import ELSEWHERE, PlacedPair
from core.stats.statistic import Mask, Values
from tests.unit.core.assessment.audit.known_metrics import Oracle

Scorer = Callable[[np.random.Generator, Mask, Mask], Values]
"""From a generator, the labels and whether a summary is of the near domain, (n,) each, to scores."""


def with_scores(evidence: Evidence, scorer: Scorer, seed: int) -> Evidence:
    """The same evidence, where these are the scores of the metric that knew the truth."""
    cases = evidence.cases
    near = cases.documents % 2 == 0
    samples = tuple(
        replace(sample, item=replace(sample.item, domain="near" if here else "distant"))
        for sample, here in zip(cases.samples, near, strict=True)
    )
    scores = scorer(np.random.default_rng(seed), cases.labels == 1, near)
    columns = tuple(
        replace(column, values=scores) if column.name == Oracle.name else column for column in cases.columns
    )
    return replace(evidence, cases=replace(cases, samples=samples, columns=columns), resamples=300)


def placed(own: Callable[[int], float], other: Callable[[int], float], documents: int = 24) -> list[PlacedPair]:
    """Pairs whose faithful side gains that much beside their own document and beside another."""
    gains = {"alone": own, "early": own, "midway": own, "late": own, ELSEWHERE: other}
    return [
        PlacedPair(Oracle.name, place, f"s{number}", "negation", f"d{number}", 0.5 + gain(number), 0.5)
        for number in range(documents)
        for place, gain in gains.items()
    ]


def coin(number: int) -> float:
    return 0.1 if number % 2 else -0.1


def always(number: int) -> float:  # noqa: ARG001  # every pair alike
    return 0.1


def reads(evidence: Evidence, pairs: list[PlacedPair]) -> AuditAnswer:
    return ReadsDocumentQuestion().finding(replace(evidence, placed=pairs), Oracle.name)


def test_what_orders_pairs_beside_any_document_fails(evidence: Evidence) -> None:
    found = reads(evidence, placed(always, always))
    assert (found.level, found.brief) == (Level.FAILS, "does not read the document")


def test_what_orders_pairs_beside_their_own_document_alone_is_good(evidence: Evidence) -> None:
    found = reads(evidence, placed(always, coin))
    assert found.level is Level.GOOD
    assert found.figure is not None
    assert found.figure.estimate.value == 0.5


def test_what_ties_beside_another_document_is_good(evidence: Evidence) -> None:
    assert reads(evidence, placed(always, lambda _: 0.0)).level is Level.GOOD


def test_what_tells_most_pairs_apart_without_their_document_is_weak(evidence: Evidence) -> None:
    assert reads(evidence, placed(always, lambda number: 0.1 if number % 5 else -0.1)).level is Level.WEAK


def test_what_is_chance_beside_its_own_document_has_nothing_to_lose(evidence: Evidence) -> None:
    assert reads(evidence, placed(coin, coin)).level is Level.MEASURED


def test_few_documents_give_no_verdict_on_reading(evidence: Evidence) -> None:
    assert reads(evidence, placed(always, always, documents=9)).level is Level.TOO_FEW


def test_what_never_reads_the_document_is_not_praised_for_being_steady_where_that_needs_reading(
    evidence: Evidence,
) -> None:
    [audit] = audit_metrics(replace(evidence, placed=placed(always, always)), [Oracle.name])
    for question in ("reading", "stillness", "gaming"):
        found = audit.finding(question)
        assert found is not None
        assert found.level is not Level.GOOD
    stillness = audit.finding("stillness")
    assert stillness is not None
    assert "without their document" in stillness.warning
    assert "does not read the document" in audit.summary.lower()


def test_a_metric_that_is_right_in_one_domain_and_inverted_in_another_is_called_inverted_there(
    evidence: Evidence,
) -> None:
    def scorer(rng: np.random.Generator, labels: Mask, near: Mask) -> Values:
        return np.where(labels == near, 1.0, 0.0) + 0.2 * rng.normal(size=len(labels))

    found = SlicesQuestion().finding(with_scores(evidence, scorer, 1), Oracle.name)
    assert (found.level, found.by) == (Level.FAILS, "domain")
    assert "There it is inverted." in found.sentence
    assert found.figure is not None
    assert found.figure.label.startswith("AUC, domain ")


@pytest.mark.slow
@pytest.mark.parametrize("distance", [1.0, 2.0, 3.0])
def test_a_metric_that_is_equally_good_everywhere_seldom_differs_in_a_slice(
    evidence: Evidence, distance: float
) -> None:
    """Sixty draws: of a chance of 5 % more than six differ in one of seventy such tests."""

    def scorer(rng: np.random.Generator, labels: Mask, near: Mask) -> Values:  # noqa: ARG001  # alike in every domain
        return distance * labels + rng.normal(size=len(labels))

    found = [SlicesQuestion().finding(with_scores(evidence, scorer, seed), Oracle.name) for seed in range(60)]
    assert sum("it is worst on" in answer.sentence for answer in found) <= 6


@pytest.mark.slow
@pytest.mark.parametrize(("distance", "level"), [(0.545, Level.WEAK), (0.824, Level.WEAK), (1.19, Level.GOOD)])
def test_a_middling_metric_seldom_has_another_verdict(evidence: Evidence, distance: float, level: Level) -> None:
    """Areas of .65, .72 and .80, 60 draws: a verdict that is not the right one in 7 % at most."""

    def scorer(rng: np.random.Generator, labels: Mask, near: Mask) -> Values:  # noqa: ARG001  # alike in every domain
        return distance * labels + rng.normal(size=len(labels))

    found = [SeesErrorsQuestion().finding(with_scores(evidence, scorer, seed), Oracle.name) for seed in range(60)]
    assert sum(answer.level not in (level, Level.TOO_FEW) for answer in found) <= 4
    untold = [answer for answer in found if answer.level is Level.TOO_FEW]
    assert all("cannot be told with" in answer.warning.lower() for answer in untold)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("distance", [-1.0, 0.0, 0.3, 0.8, 2.0])
def test_the_one_line_never_says_that_it_sees_errors_where_the_question_does_not(
    evidence: Evidence, distance: float, seed: int
) -> None:
    def scorer(rng: np.random.Generator, labels: Mask, near: Mask) -> Values:  # noqa: ARG001  # alike in every domain
        return distance * labels + rng.normal(size=len(labels))

    found = SeesErrorsQuestion().finding(with_scores(evidence, scorer, seed), Oracle.name)
    assert found.brief.startswith("sees errors") is (found.level is Level.GOOD)
    if found.level is Level.FAILS:
        assert found.brief.startswith(("blind to errors", "inverted"))
