"""An audit gives a metric that counts letters, one that sees changes, and one that knows, the verdicts that they deserve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.assessment.audit.audit_report import (
    AuditReport,
    audit_metrics,
    compare_reports,
    read_report,
    report_json,
    summarize,
    warnings_of,
)
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import (
    QUESTIONS,
    AuditFigure,
    Level,
    MetricAudit,
    VerdictScale,
    ordered_questions,
    worst_level,
)
from core.assessment.audit.questions.slices import SlicesQuestion as SliceQuestion
from core.errors import TouchstoneError
from core.evaluation.studies.gaming import metric_gaming
from core.results.cases.measures import draw_resamples, metric_rows, slice_cases
from core.results.runs.shifts import score_shifts
from core.stats.statistic import Estimate
from core.types import Result, Seen, Verdict
from tests.unit.core.assessment.audit.known_metrics import Difference, Length, Oracle


def audit_of(report: AuditReport, metric: str) -> MetricAudit:
    return next(one for one in report.metrics if one.metric == metric)


def levels(report: AuditReport, metric: str) -> dict[str, Level]:
    return {one.question: one.level for one in audit_of(report, metric).findings}


def value(report: AuditReport, metric: str, question: str) -> Estimate:
    found = audit_of(report, metric).finding(question)
    assert found
    assert found.figure
    return found.figure.estimate


def test_what_knows_the_truth_is_good_in_everything(report: AuditReport) -> None:
    """None of some twenty wrong summaries is lifted, and 72 documents would show that at most 5 % of others are."""
    found = levels(report, Oracle.name)
    of_data = {level for question, level in found.items() if question not in ("cost", "gaming", "sanity")}
    assert of_data == {Level.GOOD}  # it knows the summaries of the data, not the texts of the sanity battery
    assert found["gaming"] is Level.TOO_FEW
    gaming = audit_of(report, Oracle.name).finding("gaming")
    assert gaming is not None
    assert "cannot be told with" in gaming.warning
    assert value(report, Oracle.name, "sees-errors").value == 1.0
    assert value(report, Oracle.name, "change-detector").value == 1.0


def test_the_length_of_a_summary_is_no_metric(report: AuditReport) -> None:
    found = levels(report, Length.name)
    assert {found["sees-errors"], found["stillness"], found["threshold"], found["surface"]} == {Level.FAILS}
    assert found["change-detector"] is Level.FAILS
    assert Level.GOOD not in {found["gaming"], found["slices"]}
    assert audit_of(report, Length.name).summary.startswith("Blind to errors")


def test_a_detector_of_changes_sees_every_edit_of_an_original_and_no_error(report: AuditReport) -> None:
    finding = audit_of(report, Difference.name).finding("change-detector")
    assert finding
    assert finding.level is Level.FAILS
    originals = next(one for one in finding.details if one.label == "AUC against their originals")
    assert originals.estimate.value == pytest.approx(1.0)
    assert "sees changes rather than errors" in audit_of(report, Difference.name).summary


def test_every_question_has_a_finding_in_the_same_order(report: AuditReport) -> None:
    for audit in report.metrics:
        assert [one.question for one in audit.findings] == [question.name for question in ordered_questions()]
    assert len({question.place for question in QUESTIONS}) == len(QUESTIONS.names())


def test_the_area_is_that_of_meta(evidence: Evidence, report: AuditReport) -> None:
    parts = slice_cases(evidence.cases, "error_type")
    rows = metric_rows(evidence.cases, parts, draw_resamples(evidence.cases, evidence.resamples))
    expected = {(row.metric, row.slice): row.figures["auc"].estimate for row in rows}
    for metric in (Length.name, Difference.name, Oracle.name):
        assert value(report, metric, "sees-errors") == expected[metric, "Overall"]
        finding = audit_of(report, metric).finding("sees-errors")
        assert finding
        for one in (one for one in finding.details if one.label.startswith("AUC, ")):
            assert one.estimate == expected[metric, one.label.removeprefix("AUC, ")]


def test_the_gain_by_a_phrase_is_that_of_the_stress_run(evidence: Evidence, report: AuditReport) -> None:
    [gaming] = [one for one in metric_gaming(evidence.run, score_shifts(evidence.run)) if one.metric == Length.name]
    finding = audit_of(report, Length.name).finding("gaming")
    assert finding
    gain = next(one for one in finding.details if one.label == "gain by the best phrase")
    assert gain.estimate == gaming.best.spreads


def test_pairs_behind_a_finding_are_among_the_worst(report: AuditReport) -> None:
    finding = audit_of(report, Length.name).finding("sees-errors")
    assert finding
    assert finding.pairs
    for pair in finding.pairs:
        assert pair.score_before is not None
        assert pair.score_after is not None
        assert pair.score_before <= pair.score_after  # the faithful side is not longer
    assert not next(one for one in audit_of(report, Oracle.name).findings if one.question == "sees-errors").pairs


def test_too_few_documents_give_a_warning_and_no_verdict(evidence: Evidence) -> None:
    groups = list(dict.fromkeys(source.group for source in evidence.run.sources.values()))[:5]
    few = replace(evidence.run, sources={id: one for id, one in evidence.run.sources.items() if one.group in groups})
    few = replace(few, readings={key: one for key, one in few.readings.items() if key[0] in few.sources})
    few = replace(few, variants={key: one for key, one in few.variants.items() if key[0] in few.sources})
    kept = {sample.item.example.id for sample in evidence.cases.samples if sample.item.group in groups}
    labels = np.array(
        [
            one if sample.item.example.id in kept else np.nan
            for one, sample in zip(evidence.cases.labels, evidence.cases.samples, strict=True)
        ]
    )
    small = replace(evidence, run=few, cases=replace(evidence.cases, labels=labels, pairs=evidence.cases.pairs[:0]))
    [audit] = audit_metrics(small, [Length.name])
    for question in ("sees-errors", "change-detector", "stillness"):
        finding = audit.finding(question)
        assert finding
        assert finding.level is Level.TOO_FEW
        assert "too few" in finding.warning


def test_without_labels_nothing_is_said_of_labels(evidence: Evidence) -> None:
    unlabelled = replace(
        evidence.cases, labels=np.full(len(evidence.cases.labels), np.nan), pairs=evidence.cases.pairs[:0]
    )
    [audit] = audit_metrics(replace(evidence, cases=unlabelled), [Oracle.name])
    found = {one.question: one for one in audit.findings}
    assert {found[name].level for name in ("sees-errors", "calibration", "threshold")} == {Level.NOT_MEASURED}
    assert found["change-detector"].level is Level.GOOD
    assert found["gaming"].figure
    assert found["gaming"].figure.unit == "deviations"


def test_a_report_is_read_back_as_it_was_written(report: AuditReport) -> None:
    assert read_report(report_json(report)) == report


def test_what_is_no_report_is_refused_with_its_place() -> None:
    with pytest.raises(TouchstoneError, match="is no report of an audit"):
        read_report('{"metrics": 3}')


def test_a_verdict_that_fell_is_worse_and_other_data_are_refused(report: AuditReport) -> None:
    audit = audit_of(report, Oracle.name)
    fallen = replace(audit, findings=tuple(replace(one, level=Level.WEAK) for one in audit.findings))
    changes = compare_reports(report, replace(report, metrics=(fallen,)))
    assert {one.question for one in changes if one.worse} == {
        one.question for one in audit.findings if one.level is Level.GOOD
    }
    assert not any(one.worse or one.moved for one in compare_reports(report, report))
    elsewhere = replace(report, data=tuple(replace(one, sha256="0" * 64) for one in report.data))
    with pytest.raises(TouchstoneError, match="different data"):
        compare_reports(elsewhere, report)


def test_a_figure_that_fell_beyond_both_intervals_is_worse_though_the_verdict_stays(report: AuditReport) -> None:
    audit = audit_of(report, Oracle.name)

    def with_area(question: str, *bounds: float) -> AuditReport:
        value, low, high = bounds
        findings = tuple(
            replace(one, figure=replace(one.figure, estimate=Estimate(value, low, high, 100, documents=40)))
            if one.question == question and one.figure
            else one
            for one in audit.findings
        )
        return replace(report, metrics=(replace(audit, findings=findings),))

    def worse(question: str, before: AuditReport, after: AuditReport) -> bool:
        [change] = [one for one in compare_reports(before, after) if one.question == question]
        return change.worse

    high, low = with_area("sees-errors", 0.989, 0.98, 0.995), with_area("sees-errors", 0.846, 0.8, 0.89)
    assert worse("sees-errors", high, low)
    assert not worse("sees-errors", low, high)
    assert not worse("sees-errors", high, with_area("sees-errors", 0.981, 0.97, 0.99))
    few, many = with_area("surface", 0.05, 0.0, 0.1), with_area("surface", 0.25, 0.2, 0.29)
    assert worse("surface", few, many)
    assert not worse("surface", many, few)


@pytest.mark.parametrize(
    ("estimate", "level"),
    [
        (Estimate(0.8, 0.75, 0.9, 100, documents=50), Level.GOOD),
        (Estimate(0.8, 0.7, 0.9, 100, documents=50), Level.TOO_FEW),
        (Estimate(0.7, 0.65, 0.74, 100, documents=50), Level.WEAK),
        (Estimate(0.65, 0.58, 0.72, 100, documents=50), Level.TOO_FEW),
        (Estimate(0.55, 0.5, 0.6, 100, documents=50), Level.FAILS),
        (Estimate(0.55, 0.5, 0.61, 100, documents=50), Level.TOO_FEW),
        (Estimate(0.9, None, None, 100, documents=50), Level.TOO_FEW),
        (Estimate(0.9, 0.85, 0.95, 100, documents=9), Level.TOO_FEW),
        (Estimate(None, None, None, 0), Level.TOO_FEW),
    ],
)
def test_a_level_follows_from_value_interval_and_documents(estimate: Estimate, level: Level) -> None:
    assert VerdictScale(good=0.75, fails=0.6).level(estimate) is level


def test_where_less_is_better_the_scale_is_turned_round() -> None:
    scale = VerdictScale(good=0.1, fails=0.3)
    assert scale.level(Estimate(0.05, 0.0, 0.1, 50, documents=50)) is Level.GOOD
    assert scale.level(Estimate(0.05, 0.0, 0.4, 50, documents=50)) is Level.TOO_FEW
    assert scale.level(Estimate(0.4, 0.3, 0.6, 50, documents=50)) is Level.FAILS


@pytest.mark.parametrize(
    ("estimate", "sentence"),
    [
        # the distance to the limit of good is half of what the interval reaches: four times as many documents
        (
            Estimate(0.8, 0.7, 0.9, 99, documents=30),
            "It does not fail. More cannot be told with 30 documents; about 120 would.",
        ),
        (
            Estimate(0.65, 0.55, 0.74, 99, documents=30),
            "It is not good. More cannot be told with 30 documents; about 120 would.",
        ),
        (Estimate(0.7, 0.5, 0.9, 99, documents=12), "Cannot be told with 12 documents; about 200 would."),
        (
            Estimate(0.75, 0.7, 0.8, 99, documents=30),
            "It does not fail. More cannot be told with 30 documents; the value lies at a limit, and many times as many might not do either.",
        ),
        (Estimate(0.8, 0.76, 0.9, 99, documents=30), ""),
        (Estimate(0.8, 0.7, 0.9, 99, documents=9), ""),
    ],
)
def test_what_cannot_be_told_says_what_is_ruled_out_and_how_many_documents_would_do(
    estimate: Estimate, sentence: str
) -> None:
    assert VerdictScale(good=0.75, fails=0.6).untold(estimate) == sentence


def test_a_share_of_none_narrows_as_the_number_of_documents_grows() -> None:
    """Clopper and Pearson's interval of 0 of 23 reaches to 14.8 %, that of 0 of 72 to 5 %."""
    found = VerdictScale(good=0.05, fails=0.2).untold(Estimate(0.0, 0.0, 0.148, 23, documents=23))
    assert found == "It does not fail. More cannot be told with 23 documents; about 69 would."


def test_the_worst_verdict_of_several_counts_and_none_is_made_up() -> None:
    assert worst_level([Level.GOOD, Level.MEASURED, Level.WEAK]) is Level.WEAK
    assert worst_level([Level.GOOD, Level.TOO_FEW, Level.WEAK]) is Level.TOO_FEW
    assert worst_level([Level.FAILS, Level.TOO_FEW]) is Level.FAILS
    assert worst_level([Level.NOT_MEASURED]) is Level.TOO_FEW


def test_a_summary_counts_only_verdicts(report: AuditReport) -> None:
    assert audit_of(report, Oracle.name).summary.endswith("Of 12 questions: 12 good.")
    assert summarize(()) == "Too little data for a verdict."


def test_a_figure_is_written_in_its_unit() -> None:
    estimate = Estimate(0.25, 0.125, 0.5, 40)
    assert str(AuditFigure("", estimate, "share")) == "25.0 [12.5, 50.0] %"
    assert str(AuditFigure("", estimate, "quotient")) == "× 0.25 [0.12, 0.50]"
    assert str(AuditFigure("", Estimate(1234.0, None, None, 4), "seconds")) == "1,234.0 s"
    assert str(AuditFigure("", Estimate(None, None, None, 0), "share")) == "–"


def test_inconsistent_summaries_are_lifted_and_not_perturbed(evidence: Evidence) -> None:
    labels = {sample.item.example.id: sample.item.intended for sample in evidence.cases.samples}
    assert {labels[id] for id in evidence.gaming_run.sources} == {Verdict.INCONSISTENT}
    assert Verdict.INCONSISTENT not in {labels[id] for id in evidence.run.sources}


def test_slices_are_fields_lengths_and_what_the_metric_cuts(evidence: Evidence) -> None:
    finding = SliceQuestion().finding(evidence, Oracle.name)
    labels = [one.label for one in finding.details]
    assert sum(label.startswith("AUC, documents ") for label in labels) == 3
    assert "AUC, slice short story" in labels
    assert not any("cuts a part" in label for label in labels)
    rows = evidence.rows(Oracle.name, slice_cases(evidence.cases, "domain"), ("auc",))
    expected = {f"AUC, domain {row.slice}": row.figures["auc"].estimate for row in rows[1:]}
    found = {one.label: one.estimate for one in finding.details if one.label in expected}
    assert found == {label: one for label, one in expected.items() if one.value is not None}


def test_summaries_in_two_languages_are_slices(evidence: Evidence) -> None:
    german = "Die Brücke soll laut dem Bürgermeister im März wieder öffnen."
    labels = [one.label for one in SliceQuestion().finding(evidence, Oracle.name).details]
    assert not any("in language" in label for label in labels)
    translated = set(sorted({sample.item.group for sample in evidence.cases.samples})[::2])
    samples = tuple(
        replace(sample, item=replace(sample.item, example=replace(sample.item.example, summary=german)))
        if sample.item.group in translated
        else sample
        for sample in evidence.cases.samples
    )
    mixed = replace(evidence, cases=replace(evidence.cases, samples=samples))
    labels = [one.label for one in SliceQuestion().finding(mixed, Oracle.name).details]
    assert {"AUC, summaries in language de", "AUC, summaries in language en"} <= {*labels}


@pytest.mark.slow
def test_texts_in_another_language_are_a_warning_of_the_report(evidence: Evidence) -> None:
    german = "Die Brücke soll laut dem Bürgermeister im März wieder öffnen."
    first, *others = evidence.data.texts
    mixed = replace(evidence, data=replace(evidence.data, texts=(replace(first, summary=german), *others)))
    sentence = f"{Oracle.name}: scores of 1 of {len(others) + 1} texts are unverified: not English (de 1)."
    for data, warned in ((mixed, True), (evidence, False)):
        [audit] = audit_metrics(data, [Oracle.name])
        assert any(sentence in warning for warning in warnings_of(audit)) is warned


def test_a_metric_that_cuts_texts_is_sliced_by_that(evidence: Evidence) -> None:
    first = [one for one in evidence.outcomes if isinstance(one, Result) and one.metric == Oracle.name]
    cut = [replace(one, seen=Seen(cut=3)) for one in first[::2]] + first[1::2]
    finding = SliceQuestion().finding(replace(evidence, outcomes=cut), Oracle.name)
    labels = [one.label for one in finding.details]
    assert {"AUC, texts that it reads to the end", "AUC, texts of which it cuts a part"} <= {*labels}
