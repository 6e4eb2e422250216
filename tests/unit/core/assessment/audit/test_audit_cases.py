"""Every figure of a report has its source: another page with the same figure, or the cases that it was counted from."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from statistics import mean

import pytest

from core.assessment.audit.audit_report import AuditReport
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import QUESTIONS, AuditAnswer, FigureCase, ordered_questions
from core.assessment.audit.repetition import RepeatedScore
from core.evaluation.studies.saved_threshold import fit_threshold
from core.results.runs.placement import PLACES
from core.results.runs.stress_run import run_from_lines, run_lines
from core.stats.statistic import Estimate
from tests.unit.core.assessment.audit.known_metrics import KNOWN, Difference, Length, Oracle

METRICS_OF_TEST = [one.name for one in KNOWN]


def finding_of(report: AuditReport, metric: str, question: str) -> AuditAnswer:
    found = next(one for one in report.metrics if one.metric == metric).finding(question)
    assert found
    return found


def figure(found: AuditAnswer, label: str) -> Estimate:
    figures = [one for one in (found.figure, *found.details) if one]
    return next(one.estimate for one in figures if one.label == label)


def cases_of(evidence: Evidence, question: str, metric: str) -> list[FigureCase]:
    return list(QUESTIONS.build(question, {}).cases(evidence, metric))


def numbers(case: FigureCase, *columns: str) -> list[float]:
    """The numbers of a case that has all of them; none of another."""
    found = [case.cells[column] for column in columns]
    return [float(one) for one in found if one is not None] if None not in found else []


def test_every_question_has_a_page_or_its_cases(evidence: Evidence) -> None:
    for question, metric in product(ordered_questions(), METRICS_OF_TEST):
        assert question.page or question.cases(evidence, metric), question.name


@pytest.mark.slow
def test_a_kept_run_gives_the_figures_of_the_report(evidence: Evidence, report: AuditReport) -> None:
    kept = replace(evidence, run=run_from_lines(run_lines(evidence.run)))
    for name, metric in product(("change-detector", "stillness", "gaming"), METRICS_OF_TEST):
        assert QUESTIONS.get(name).page == "stress"
        assert QUESTIONS.build(name, {}).finding(kept, metric) == finding_of(report, metric, name)


@pytest.mark.parametrize("metric", METRICS_OF_TEST)
def test_pairs_at_each_place_give_the_shares_and_gains(evidence: Evidence, report: AuditReport, metric: str) -> None:
    found, cases = finding_of(report, metric, "reading"), cases_of(evidence, "reading", metric)
    for place in PLACES[:-1]:
        scores = [both for one in cases if (both := numbers(one, f"faithful, {place}", f"broken, {place}"))]
        assert len(scores) > 1
        share = figure(found, f"pairs ordered rightly, {place}")
        assert share.value == pytest.approx(mean(good > bad for good, bad in scores))
        assert share.n == len(scores)
        gain = figure(found, f"mean gain of the faithful side, {place}")
        assert gain.value == pytest.approx(mean(good - bad for good, bad in scores))


@pytest.mark.parametrize("metric", METRICS_OF_TEST)
def test_repeated_scores_give_the_share(evidence: Evidence, report: AuditReport, metric: str) -> None:
    found, cases = finding_of(report, metric, "repetition"), cases_of(evidence, "repetition", metric)
    both = [numbers(one, "first", "asked again") for one in cases]
    assert figure(found, "texts with the same score").value == mean(abs(one - two) < 1e-4 for one, two in both)
    assert figure(found, "largest difference").value == max(abs(one - two) for one, two in both)


def test_scores_under_other_words_give_the_flips(evidence: Evidence) -> None:
    asked, threshold = evidence.repetitions[Length.name], evidence.threshold(Length.name)
    assert threshold
    other = [
        RepeatedScore(one.example, one.first, (one.second or 0.0) + 5000 * (place % 3 - 1))
        for place, one in enumerate(asked.scores)
    ]
    reworded = replace(evidence, rewordings={Length.name: [replace(asked, scores=tuple(other), way="other words")]})
    found = QUESTIONS.build("wording", {}).finding(reworded, Length.name)
    scores = [numbers(one, "first", "other words") for one in cases_of(reworded, "wording", Length.name)]
    flips = mean((one >= threshold.value) != (two >= threshold.value) for one, two in scores)
    assert 0.0 < flips < 1.0
    assert figure(found, "decisions that flip at its threshold, other words").value == pytest.approx(flips)


@pytest.mark.parametrize("metric", [Length.name, Difference.name])
def test_summaries_with_the_phrase_give_the_share_that_is_lifted(
    evidence: Evidence, report: AuditReport, metric: str
) -> None:
    cases = cases_of(evidence, "gaming", metric)
    refused = [
        one for one in cases if one.cells["decision without"] == "refused" and one.cells["with the phrase"] is not None
    ]
    lifted = figure(finding_of(report, metric, "gaming"), "wrong summaries lifted over the threshold")
    assert lifted.n == len(refused)
    assert lifted.value == pytest.approx(mean(one.cells["decision with it"] == "accepted" for one in refused))
    control = [
        one.cells["decision with words repeated"] for one in refused if one.cells["with words repeated"] is not None
    ]
    repeated = figure(
        finding_of(report, metric, "gaming"), "wrong summaries lifted by repeating as many of their words"
    )
    assert repeated.n == len(control)
    assert repeated.value == pytest.approx(mean(decision == "accepted" for decision in control))


def test_summaries_without_a_score_give_their_share(evidence: Evidence, report: AuditReport) -> None:
    cases = cases_of(evidence, "answers", Oracle.name)
    assert len(cases) == len(evidence.cases.samples)
    share = figure(finding_of(report, Oracle.name, "answers"), "summaries without a score")
    assert share.value == mean(one.cells["score"] is None for one in cases)


def shares(cases: list[FigureCase], column: str) -> tuple[float, float]:
    """The consistent summaries that are refused, and the inconsistent ones that are accepted."""
    alarms = mean(one.cells[column] == "refused" for one in cases if one.cells["label"] == "consistent")
    return alarms, mean(one.cells[column] == "accepted" for one in cases if one.cells["label"] == "inconsistent")


@pytest.mark.parametrize("metric", METRICS_OF_TEST)
def test_decisions_give_accuracy_false_alarms_and_misses(evidence: Evidence, report: AuditReport, metric: str) -> None:
    found = finding_of(report, metric, "threshold")
    alarms, missed = shares(cases_of(evidence, "threshold", metric), "threshold of other documents")
    assert figure(found, "false alarms of it").value == pytest.approx(alarms)
    accuracy = figure(found, "balanced accuracy of a threshold chosen on other documents")
    assert accuracy.value == pytest.approx(1 - (alarms + missed) / 2)
    cases = [one for one in cases_of(evidence, "threshold", metric) if one.cells["threshold of other documents"]]
    accepted = [one.cells["threshold of other documents"] == "accepted" for one in cases]
    consistent = [one.cells["label"] == "consistent" for one in cases]
    agreed = mean(one == two for one, two in zip(accepted, consistent, strict=True))
    by_chance = mean(accepted) * mean(consistent) + (1 - mean(accepted)) * (1 - mean(consistent))
    assert figure(found, "labels that its decisions agree with").value == pytest.approx(agreed)
    kappa = figure(found, "Cohen's kappa of its decisions and the labels").value
    assert kappa == pytest.approx((agreed - by_chance) / (1 - by_chance))
    common = (mean(accepted) + mean(consistent)) / 2
    ac1 = figure(found, "Gwet's AC1 of its decisions and the labels").value
    assert ac1 == pytest.approx((agreed - 2 * common * (1 - common)) / (1 - 2 * common * (1 - common)))


def test_decisions_of_a_saved_threshold_give_its_figures(evidence: Evidence) -> None:
    column = evidence.column(Length.name)
    assert column
    own = fit_threshold("own", evidence.cases_with(column), evidence.data.facts, evidence.drawn)
    saved = replace(evidence, saved_thresholds={Length.name: replace(own, value=own.value + 10)})
    found = QUESTIONS.build("threshold", {}).finding(saved, Length.name)
    alarms, missed = shares(cases_of(saved, "threshold", Length.name), "saved threshold")
    assert figure(found, "false alarms at the saved threshold").value == pytest.approx(alarms)
    assert figure(found, "missed at the saved threshold").value == pytest.approx(missed)
    assert figure(found, "balanced accuracy at the saved threshold").value == pytest.approx(1 - (alarms + missed) / 2)


@pytest.mark.parametrize("metric", METRICS_OF_TEST)
def test_lengths_of_summaries_give_the_area_of_their_slices(
    evidence: Evidence, report: AuditReport, metric: str
) -> None:
    found, cases = finding_of(report, metric, "slices"), cases_of(evidence, "slices", metric)
    labels = [one.label for one in found.details if one.label.startswith("AUC, summaries of at most")]
    [label] = labels
    most = int(label.split()[-2])
    short = [one for one in cases if numbers(one, "words of the summary")[0] <= most]
    good, bad = (
        [numbers(one, "score")[0] for one in short if one.cells["label"] == name]
        for name in ("consistent", "inconsistent")
    )
    won = mean((one > two) + (one == two) / 2 for one, two in product(good, bad))
    assert figure(found, label).value == pytest.approx(won)


def test_tokens_of_texts_give_those_of_a_thousand(evidence: Evidence, report: AuditReport) -> None:
    found = finding_of(report, Oracle.name, "cost")
    cases = cases_of(evidence, "cost", Oracle.name)
    assert len(cases) == len(evidence.data.texts)
    tokens = mean(numbers(one, "tokens read")[0] for one in cases)
    assert figure(found, "tokens read for 1,000 summaries, what was cached left out").value == 1000 * tokens
    assert evidence.repetitions[Oracle.name].processor_seconds > 0
