"""Sentences of the audit and of rates do not contradict the tables that they are made from, whatever these are."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from core.assessment.audit.audit_report import AuditReport, summarize
from core.assessment.audit.evidence import LAYOUT_SOURCES
from core.assessment.audit.question import JUDGED_LEVELS, AuditAnswer, Level, MetricAudit
from core.assessment.audit.rendering import format_report, report_markdown
from core.evaluation.report import Report
from core.evaluation.studies.prevalence import Prevalence
from core.evaluation.study import StudyData
from core.stats.comparison import MIN_TEST_DOCUMENTS
from tests.random_tables import METRIC, audit_evidence, labelled_pool
from tests.reference_audit_sentences import QUESTIONS, SCALES, audit_rows, rate_rows

TABLES = 12
BY_WHOLE_INTERVAL = ("sees-errors", "stillness", "slices", "sanity", "layout", "surface", "repetition", "threshold")
_ROUNDING = 0.051  # of a percentage with one digit


def random_findings(seed: int) -> list[AuditAnswer]:
    """The findings on a metric of which nothing is known beforehand."""
    rng = np.random.default_rng(seed)
    evidence = audit_evidence(
        seed,
        documents=int(rng.choice([6, 12, 30, 80])),
        sees=float(rng.normal(1, 1.5)),
        moves=float(abs(rng.normal(0, 0.7))),
        reads=float(rng.random()),
        gain=float(rng.normal(0, 1)),
        height=float(rng.uniform(0.5, 0.9)),
        noise=float(rng.choice([0.2, 1.0])),
        surface=float(rng.choice([0.0, 0.5, 1.0, 3.0])),
        layout=float(abs(rng.normal(0, 1.5))),
        sane=float(rng.choice([1.0, rng.random()])),
        repeats=float(rng.choice([1.0, rng.random()])),
    )
    return [question().finding(evidence, METRIC) for question in QUESTIONS]


FINDINGS = [pytest.param(seed, id=f"table {seed}") for seed in range(TABLES)]


@pytest.mark.parametrize("seed", FINDINGS)
def test_no_sentence_of_an_audit_contradicts_its_figures(seed: int) -> None:
    findings = random_findings(seed)
    for finding in findings:
        _assert_level_is_earned(finding)
        _assert_words_fit_the_level(finding)
    _assert_summary_counts(findings)
    by_name = {finding.question: finding for finding in findings}
    _assert_extremes(by_name["sees-errors"])
    _assert_moves_by_layout(by_name["layout"])
    _assert_faults_are_counted(by_name["sanity"])
    _assert_error_of_probabilities(by_name["calibration"])
    phrase = by_name["gaming"]
    if "The phrase alone does" in phrase.sentence:
        assert phrase.level in (Level.WEAK, Level.FAILS)
        assert phrase.figure
        assert (phrase.figure.estimate.low or 0.0) > 0
    lowest = re.search(
        r"early (\d+) %, midway (\d+) %, late (\d+) %(?:: lowest where the evidence stands (\w+))?",
        by_name["reading"].sentence,
    )
    if lowest and lowest[4]:
        shares = dict(zip(("early", "midway", "late"), map(int, lowest.groups()[:3]), strict=True))
        assert shares[lowest[4]] == min(shares.values())


def _assert_level_is_earned(finding: AuditAnswer) -> None:
    scale = SCALES.get(finding.question)
    if finding.level not in JUDGED_LEVELS or finding.figure is None:
        assert finding.level is not Level.GOOD
        return
    estimate = finding.figure.estimate
    assert estimate.documents >= MIN_TEST_DOCUMENTS
    if scale and finding.question in BY_WHOLE_INTERVAL and estimate.ends:
        sign = 1 if scale.good > scale.fails else -1
        worst, best = sorted(sign * end for end in estimate.ends)
        assert finding.level is not Level.GOOD or worst >= sign * scale.good
        assert finding.level is not Level.FAILS or best <= sign * scale.fails


def _assert_words_fit_the_level(finding: AuditAnswer) -> None:
    said = f"{finding.sentence} {finding.brief}"
    if "annot be told with" in finding.warning:
        assert finding.level is Level.TOO_FEW
    for words, levels in (
        ("blind to errors", {Level.FAILS}),
        ("sees some errors", {Level.WEAK}),
        ("sees changes rather than errors", {Level.FAILS}),
        ("It tells errors from harmless edits", {Level.GOOD}),
        ("It hardly tells errors", {Level.WEAK}),
        ("does not read the document", {Level.FAILS}),
        ("moves as far for nothing as for an error", {Level.FAILS}),
        ("What it tells comes from the document", {Level.GOOD}),
        ("a filler lifts", {Level.WEAK, Level.FAILS}),
        ("not clear of zero", {Level.MEASURED}),
        ("not predicted by these features", {Level.GOOD, Level.TOO_FEW}),
        ("layout moves it as far as errors", {Level.FAILS}),
        ("That errors lower it cannot be told", {Level.MEASURED}),
        ("They tell no more than the share of consistent", {Level.WEAK}),
        ("% surface", {Level.WEAK, Level.FAILS}),
        ("so they are no probabilities", {Level.NOT_MEASURED}),
    ):
        assert words not in said or finding.level in levels, (words, finding.level)
    if finding.brief.startswith("inverted"):
        assert finding.figure
        assert (finding.figure.estimate.high or 1.0) < 0.5
    if finding.brief.startswith("sees errors"):
        assert finding.level is Level.GOOD
    if (
        finding.figure
        and finding.figure.estimate.value is not None
        and finding.question in ("sees-errors", "reads-document", "sanity", "layout", "repetition", "threshold")
    ):
        assert str(finding.figure) in finding.sentence


def _assert_summary_counts(findings: list[AuditAnswer]) -> None:
    counts = Counter(finding.level for finding in findings)
    summary = summarize(findings)
    for level, name in ((Level.GOOD, "good"), (Level.WEAK, "weak"), (Level.FAILS, "failed")):
        said = re.search(rf"(\d+) {name}[,.]", summary)
        assert (int(said[1]) if said else 0) == counts[level]
    audit = MetricAudit(METRIC, "", summary, tuple(findings))
    report = AuditReport((), (audit,), "")
    assert summary in format_report(report)
    assert summary in report_markdown(report)


def _assert_moves_by_layout(finding: AuditAnswer) -> None:
    said = re.search(r"by ([\d.e-]+)(?: \[.+?\])? on average and ([\d.e-]+) at most", finding.sentence)
    assert said
    assert float(said[1]) <= float(said[2])
    shares = [int(share) for share in re.findall(r"\((\d+)%\)", finding.sentence)]
    assert shares == sorted(shares, reverse=True)
    assert finding.figure
    assert bool(shares) is bool(finding.figure.estimate.value)
    if "at most 40 are taken" in finding.warning:
        assert finding.level is Level.TOO_FEW
    documents = re.search(r"about ([\d,]+) would", finding.warning)
    assert not documents or int(documents[1].replace(",", "")) <= LAYOUT_SOURCES


def _assert_faults_are_counted(finding: AuditAnswer) -> None:
    for failed, every in re.findall(r"(\d+) of (\d+) times", finding.sentence):
        assert int(failed) > int(every) / 2
    if finding.brief:
        assert finding.level is Level.FAILS
        assert finding.brief in finding.sentence


def _assert_error_of_probabilities(finding: AuditAnswer) -> None:
    said = re.search(r"off by ([\d.]+) on average \(ECE\)", finding.sentence)
    assert bool(said) is (finding.level is not Level.NOT_MEASURED)
    if said and finding.figure:
        assert float(said[1]) == pytest.approx(finding.figure.estimate.value, abs=0.0006)


def _assert_extremes(finding: AuditAnswer) -> None:
    said = re.search(
        r"highest for (.+?) errors \(AUC ([\d.]+)\) and lowest for (.+?) errors \(AUC ([\d.]+)\)", finding.sentence
    )
    if said:
        areas = {
            figure.label.removeprefix("AUC, ").lower(): figure.estimate.value or 0.0
            for figure in finding.details
            if figure.label.startswith("AUC, ") and not figure.label.endswith("Error")
        }
        assert areas[said[1]] >= areas[said[3]]
        assert float(said[2]) == pytest.approx(areas[said[1]], abs=0.006)


@pytest.mark.parametrize("seed", range(TABLES))
def test_no_sentence_on_a_rate_contradicts_its_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = int(rng.choice([12, 40, 150, 399]))
    pool = labelled_pool(seed, labels=labels, rate=float(rng.uniform(0.03, 0.6)), distance=float(rng.uniform(0, 3)))
    if rng.random() < 0.2:
        pool = replace(pool, columns=())
    report = Prevalence("test").run(StudyData(datasets=("by hand",), pool=pool))
    said = " ".join(report.sentences)
    rates = {row[0]: row[1] for row in _rows(report, "rates")}
    printed = re.match(r"([\d.]+) % \[([\d.]+), ([\d.]+)\]", said)
    assert printed
    exact = "interval is the exact one" in said
    used = rates["labels and scores"]
    assert float(printed[1]) == pytest.approx(100 * used.value, abs=_ROUNDING)
    assert float(printed[2]) <= float(printed[1]) <= float(printed[3])
    assert float(printed[2]) < float(printed[3])
    worth = re.search(r"Your (\d+) labels and .* worth ([\d,]+)(?: \[([\d,]+), ([\d,]+)\])? labels", said)
    if worth:
        number = int(worth[2].replace(",", ""))
        assert not exact
        assert int(worth[1]) == labels < number <= len(pool.ids)
    if "say nothing of the rate" in said:
        assert not worth
    differences = _rows(report, "differences")
    if "No two parts differ" in said:
        assert all(row[-1] is None or row[-1] >= 0.05 for row in differences)


def _rows(report: Report, name: str) -> list[tuple[object, ...]]:
    return [row for table in report.tables if table.name == name for row in table.rows]


def test_every_row_of_the_document_has_a_condition_and_a_sentence() -> None:
    rows = [*audit_rows(), *rate_rows()]
    assert len(rows) == len({row[:2] for row in rows})
    assert all(re.match(r"\w.+", cell) for row in rows for cell in row)
    assert not any("  " in row[2] or " –." in row[2] for row in rows)
