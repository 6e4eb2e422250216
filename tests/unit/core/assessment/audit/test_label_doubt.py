"""Labels that are wrong are said to look so, by a metric that is right of edits by rule; a middling metric casts no doubt on them."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from core.assessment.audit.audit_report import audit_metrics
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.label_doubt import label_doubt
from core.assessment.audit.question import Level
from core.stats.statistic import Values
from tests.random_tables import METRIC, SPREAD, audit_evidence

DRAWS = 40
APART = 20.0
"""Standard deviations between the two groups of scores."""


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    """An audit of a metric that scores every error far below everything else."""
    return audit_evidence(3, documents=30, sees=APART)


def with_wrong_labels(evidence: Evidence, share: float, seed: int) -> Evidence:
    """The same evidence, of which this share of the labels was swapped."""
    labels = evidence.cases.labels
    swapped = np.random.default_rng(seed).random(len(labels)) < share
    return replace(evidence, cases=replace(evidence.cases, labels=np.where(swapped, 1 - labels, labels)), resamples=300)


def with_scores(evidence: Evidence, scores: Values) -> Evidence:
    columns = tuple(
        replace(column, values=scores) if column.name == METRIC else column for column in evidence.cases.columns
    )
    return replace(evidence, cases=replace(evidence.cases, columns=columns))


def confident(evidence: Evidence, right: float, seed: int) -> Evidence:
    """The evidence on a metric that is sure of every text, and right of this share of them, labelled or made by rule."""
    rng = np.random.default_rng(seed)
    run = copy(evidence.run)
    run.readings = {
        key: reading
        if reading.value is None or rng.random() < right
        else replace(reading, value=_on_the_other_side(reading.value))
        for key, reading in evidence.run.readings.items()
    }
    scores = next(column.values for column in evidence.cases.columns if column.name == METRIC)
    swapped = np.array([_on_the_other_side(score) for score in scores.tolist()])
    return replace(with_scores(evidence, np.where(rng.random(len(scores)) < right, scores, swapped)), run=run)


def _on_the_other_side(score: float) -> float:
    distance = APART * SPREAD
    return score - distance if score > 0.5 - distance / 2 else score + distance


def test_right_labels_are_not_doubted(evidence: Evidence) -> None:
    assert label_doubt(evidence, METRIC) == ""


def test_a_fifth_of_wrong_labels_is_said(evidence: Evidence) -> None:
    said = [label_doubt(with_wrong_labels(evidence, 0.2, seed), METRIC) for seed in range(DRAWS)]
    assert sum(map(bool, said)) >= 0.8 * DRAWS
    sentence = next(filter(None, said))
    assert sentence.startswith("The labels look wrong: the scores split into two groups (99 % of their variance")
    assert "Read the summaries of the contradicted labels first" in sentence


@pytest.mark.parametrize("right", [0.7, 0.8, 0.9])
def test_a_metric_that_is_sure_and_often_wrong_seldom_casts_doubt(evidence: Evidence, right: float) -> None:
    said = [label_doubt(confident(evidence, right, seed), METRIC) for seed in range(DRAWS)]
    assert sum(map(bool, said)) <= 0.05 * DRAWS


@pytest.mark.parametrize("distance", [0.545, 0.824, 1.19, 3.0])
def test_a_middling_metric_never_casts_doubt(evidence: Evidence, distance: float) -> None:
    labels = evidence.cases.labels
    for seed in range(DRAWS):
        scores = distance * labels + np.random.default_rng(seed).normal(size=len(labels))
        assert label_doubt(with_scores(evidence, scores), METRIC) == ""


def test_no_bad_verdict_rests_on_doubted_labels(evidence: Evidence) -> None:
    wrong = next(of for seed in range(DRAWS) if label_doubt(of := with_wrong_labels(evidence, 0.2, seed), METRIC))
    [audit] = audit_metrics(wrong, [METRIC])
    by_label = ("sees-errors", "change-detector", "sanity", "slices", "calibration", "threshold")
    levels = {finding.question: finding.level for finding in audit.findings if finding.question in by_label}
    assert not {Level.WEAK, Level.FAILS} & set(levels.values())
    assert levels["change-detector"] is Level.GOOD
    assert "the labels look wrong" in audit.summary
    [said] = [finding for finding in audit.findings if finding.question == "change-detector"]
    assert "which does not count as the labels look wrong" in said.sentence
