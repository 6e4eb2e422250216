"""Calibration over domains whose scores lie apart: every figure counted by hand, small domains refused in words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.reports.record import report_json
from core.evaluation.studies.calibration import (
    CalibrationStudy,
    MetricCalibration,
    calibrations,
    small_data_notes,
)
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import draw_resamples
from core.types import ErrorType, Sample
from tests.unit.core.evaluation.studies.bench_samples import pair

SIDES = {"news": (0.9, 0.6), "law": (0.5, 0.2), "talk": (0.5, 0.2)}


def in_domain(domain: str, number: int) -> list[Sample]:
    """Pairs of which the metric "shifted" parts the sides in every domain, but each elsewhere; "wide" is no probability."""
    good, bad = SIDES[domain]
    sides = [
        side
        for n in range(number)
        for side in pair(
            f"{domain}-{n}",
            {"shifted": good, "wide": 10 * good},
            {"shifted": bad, "wide": 10 * bad},
            ErrorType.COREFERENCE,
        )
    ]
    return [replace(side, item=replace(side.item, domain=domain)) for side in sides]


def three_domains() -> Cases:
    return build_cases([*in_domain("news", 12), *in_domain("law", 12), *in_domain("talk", 3)])


def calibrated(cases: Cases, metric: str = "shifted") -> MetricCalibration:
    found = calibrations(cases, "domain", draw_resamples(cases, 50))
    return next(one for one in found if one.metric == metric)


def test_probabilities_per_domain_are_right_where_one_calibration_for_all_is_not() -> None:
    """Scores .2 and .5 of law, .6 and .9 of news: pooled, .5 and .6 are about one half each in isotonic regression."""
    found = calibrated(build_cases([*in_domain("news", 15), *in_domain("law", 15)]))
    law, news = found.domains
    assert {form: one.value for form, one in news.brier.items()} == pytest.approx(
        {"raw": (0.01 + 0.36) / 2, "pooled": 0.125, "per domain": 0.0},
        abs=0.03,  # the folds hold not equally many of each domain
    )
    assert {form: one.value for form, one in news.calibration_error.items()} == pytest.approx(
        {"raw": (0.1 + 0.6) / 2, "pooled": 0.25, "per domain": 0.0},
        abs=0.03,  # the folds hold not equally many of each domain
    )
    assert law.brier["raw"].value == pytest.approx((0.25 + 0.04) / 2)
    assert law.change["raw"].value == pytest.approx(-(0.25 + 0.04) / 2)
    assert (law.n, law.brier["raw"].n, law.brier["raw"].documents) == (30, 30, 15)
    assert (law.threshold, news.threshold) == (pytest.approx(0.35), pytest.approx(0.75))


def test_a_threshold_loses_half_in_a_domain_whose_scores_all_lie_on_one_side_of_it() -> None:
    found = calibrated(three_domains())
    assert found.usable == ["law", "news"]
    accuracy = {(one.chosen_on, one.used_on): one.accuracy.value for one in found.transfers}
    assert accuracy == {("law", "law"): 1.0, ("law", "news"): 0.5, ("news", "law"): 0.5, ("news", "news"): 1.0}
    losses = {(one.chosen_on, one.used_on): one.loss for one in found.transfers}
    assert losses["law", "law"] is None
    crossed = losses["news", "law"]
    assert crossed is not None
    assert (crossed.value, crossed.n, crossed.documents) == (0.5, 24, 12)
    assert crossed.low is not None
    assert 0 < crossed.low < 0.5 < (crossed.high or 0)


def test_small_domains_and_few_documents_are_told_in_words() -> None:
    found = calibrated(three_domains())
    talk = found.domains[-1]
    assert (talk.domain, talk.n, talk.brier) == ("talk", 6, {})
    tiny, few = small_data_notes(found)
    assert tiny.startswith(
        "talk: 3 documents have a consistent summary with a score and 3 an inconsistent one: too few"
    )
    assert few.startswith("law, news: few documents (12)")
    report = CalibrationStudy().run(StudyData(cases=three_domains(), resamples=50))
    assert {tiny, few} <= set(report.notes)
    lost = report.table("transfers").figure("loss", metric="shifted", chosen_on="news", used_on="law")
    assert lost.value == 0.5
    assert "points of balanced accuracy on" in report.sentences[0]


def test_scores_beyond_probabilities_have_no_raw_figure_but_are_calibrated() -> None:
    law = calibrated(three_domains(), "wide").domains[0]
    assert (law.brier["raw"].value, law.change["raw"].value) == (None, None)
    assert "not all within 0..1" in law.brier["raw"].error
    assert law.brier["per domain"].value == 0.0


def test_one_domain_alone_transfers_nothing_and_a_field_without_values_is_refused() -> None:
    cases = build_cases(in_domain("law", 12))
    assert small_data_notes(calibrated(cases))[-1].startswith("One domain alone")
    assert CalibrationStudy().run(StudyData(cases=cases, resamples=5)).sentences == ()
    with pytest.raises(UnknownNameError, match="system"):
        list(calibrations(cases, "error_type", draw_resamples(cases, 5)))
    with pytest.raises(TouchstoneError, match="--by dataset"):
        list(calibrations(cases, "system", draw_resamples(cases, 5)))


def test_a_metric_on_several_scales_has_words_instead_of_figures() -> None:
    cases = three_domains()
    found = calibrated(replace(cases, columns=cases.columns[1:], separate=cases.columns[:1]))
    assert found.usable == []
    assert small_data_notes(found)[0].startswith("law, news, talk: Its scores in these data are on several scales")


def test_the_record_has_every_domain_and_transfer() -> None:
    report = CalibrationStudy().run(StudyData(datasets=("toy",), cases=three_domains(), resamples=50))
    tables = json.loads(report_json(report))["tables"]
    assert [row["domain"] for row in tables["domains"] if row["metric"] == "shifted"] == ["law", "news"]
    assert tables["transfers"][1]["loss"]["value"] == 0.5
