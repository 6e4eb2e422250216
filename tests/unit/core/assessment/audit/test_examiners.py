"""Metrics with a known fault get the verdict that they deserve, and how often a verdict is false is known."""

from __future__ import annotations

import logging

import pytest

from core.assessment.audit.audit_report import failure_lines
from core.assessment.audit.false_verdicts import false_verdicts
from core.assessment.audit.question import (
    JUDGED_LEVELS,
    AuditAnswer,
    AuditFigure,
    Level,
    MetricAudit,
    ordered_questions,
)
from tests.unit.core.assessment.audit.count_false_verdicts import SEEDS
from tests.unit.core.assessment.audit.examined_texts import DOCUMENTS as DRAWN
from tests.unit.core.assessment.audit.examiners import EXAMINERS, audited, judged

pytestmark = pytest.mark.slow

NAMES = ("length", "random", "upside-down", "uncalibrated", "gamed", "crashes", "selective", "outside")
DOCUMENTS = 24


class Records(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(scope="module")
def log() -> Records:
    return Records()


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory, log: Records) -> dict[str, MetricAudit]:
    logging.getLogger().addHandler(log)
    try:
        results = audited(tmp_path_factory.mktemp("examined"), 7, DOCUMENTS, NAMES)
    finally:
        logging.getLogger().removeHandler(log)
    return {audit.metric.removeprefix("examiner-"): audit for audit in results}


def finding_of(audit: MetricAudit, question: str) -> AuditAnswer:
    found = audit.finding(question)
    assert found
    return found


def figure_of(found: AuditAnswer, label: str) -> AuditFigure:
    return next(one for one in (found.figure, *found.details) if one and one.label == label)


def test_verdicts_on_known_metrics_are_right(audits: dict[str, MetricAudit]) -> None:
    verdicts = list(judged(list(audits.values())))
    false = [f"{name}: {finding.question} is {finding.level}" for name, finding, is_false in verdicts if is_false]
    assert len(verdicts) > 40
    assert len(false) <= 0.05 * len(verdicts), false


def test_leaving_out_half_of_the_errors_makes_no_metric_good(audits: dict[str, MetricAudit]) -> None:
    audit = audits["selective"]
    answers = finding_of(audit, "answers")
    assert answers.level is Level.FAILS
    assert "leaves out inconsistent ones more often" in answers.sentence
    assert figure_of(answers, "consistent summaries without a score").estimate.value == 0.0
    assert (figure_of(answers, "inconsistent summaries without a score").estimate.value or 0.0) > 0.3
    area = figure_of(finding_of(audit, "sees-errors"), "area under the ROC curve").estimate.value or 0.0
    worst = (
        figure_of(finding_of(audit, "sees-errors"), "area, failures counted as the worst scores").estimate.value or 0.0
    )
    assert area > 0.8 > 0.65 > worst
    assert Level.GOOD not in {one.level for one in audit.findings}


def test_a_metric_that_crashes_on_a_tenth_is_good_in_nothing(audits: dict[str, MetricAudit]) -> None:
    audit = audits["crashes"]
    assert Level.GOOD not in {one.level for one in audit.findings}
    assert "no verdict is good" in finding_of(audit, "slices").warning
    [line] = failure_lines(audit)
    assert "summaries have no score: An unexpected error stopped this" in line


def test_a_mistake_in_a_metric_is_logged_once(audits: dict[str, MetricAudit], log: Records) -> None:
    assert audits
    assert len([one for one in log.records if one.exc_info]) == 1


def test_noise_that_a_phrase_draws_again_is_no_gaming(audits: dict[str, MetricAudit]) -> None:
    found = finding_of(audits["random"], "gaming")
    assert found.level is Level.MEASURED
    assert (figure_of(found, "wrong summaries lifted over the threshold").estimate.value or 0.0) > 0.2
    assert found.figure
    assert found.figure.estimate.low is not None
    assert found.figure.estimate.low <= 0
    assert "filler" not in audits["random"].summary


def test_a_phrase_that_lifts_beyond_repeated_words_games(audits: dict[str, MetricAudit]) -> None:
    found = finding_of(audits["gamed"], "gaming")
    assert found.level is Level.FAILS
    assert figure_of(found, "wrong summaries lifted by repeating as many of their words").estimate.value == 0.0


def test_length_passes_neither_for_sense_nor_for_depth(audits: dict[str, MetricAudit]) -> None:
    audit = audits["length"]
    assert finding_of(audit, "change-detector").level is Level.FAILS
    matched = figure_of(finding_of(audit, "change-detector"), "AUC against harmless edits of the same length").estimate
    assert matched.value == pytest.approx(0.5, abs=0.08)
    assert finding_of(audit, "surface").level is Level.FAILS
    assert (
        figure_of(finding_of(audit, "surface"), "variance of its scores that the surface predicts").estimate.value or 0
    ) > 0.9


def test_a_share_of_surface_is_never_below_zero(audits: dict[str, MetricAudit]) -> None:
    shares = [found.figure.estimate for audit in audits.values() if (found := finding_of(audit, "surface")).figure]
    assert len(shares) > 5
    assert all((one.value or 0.0) >= 0 and (one.low or 0.0) >= 0 for one in shares)
    assert not any("0 % surface" in audit.summary for name, audit in audits.items() if name != "length")


def test_a_metric_upside_down_is_called_inverted(audits: dict[str, MetricAudit]) -> None:
    assert audits["upside-down"].summary.startswith("Inverted: errors score higher (AUC .00)")
    assert "Turned round it would be good." in finding_of(audits["upside-down"], "sees-errors").sentence
    assert not audits["length"].summary.startswith("Inverted")


def test_scores_outside_the_range_of_the_card_are_said(audits: dict[str, MetricAudit]) -> None:
    found = finding_of(audits["outside"], "answers")
    assert found.level is Level.FAILS
    assert "lie outside its range, its card says 0 to 1" in found.sentence
    assert "of its scores lie outside its range" in audits["outside"].summary


def test_a_number_that_is_no_probability_may_have_a_threshold(audits: dict[str, MetricAudit]) -> None:
    assert finding_of(audits["uncalibrated"], "calibration").level is Level.FAILS
    assert finding_of(audits["uncalibrated"], "threshold").level is Level.GOOD


def test_five_seeds_give_at_most_one_false_verdict_in_twenty() -> None:
    table = false_verdicts()
    assert table.metrics == tuple(EXAMINERS), "Run: make false-verdicts"
    assert table.seeds == SEEDS
    assert len(EXAMINERS) == 30
    assert all(name in table.data for name in DRAWN), "Copy the released files, and run: make false-verdicts"
    total = table.total()
    assert total.given > 400
    assert total.false <= 0.05 * total.given
    for level in JUDGED_LEVELS:
        assert table.total(level).false <= 0.05 * table.total(level).given, level
    titles = {question.name: question.title for question in ordered_questions()}
    assert {(one.question, one.title) for one in table.counts} <= set(titles.items()), "Run: make false-verdicts"
    assert len(table.problems) == total.false
