"""The audits that come with Touchstone are those of today's metrics, texts and rules; and the gallery of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.assessment.audit.audit_report import read_report, report_json, variants_sha256
from core.assessment.audit.bundled_audits import audited_metrics, bundled_audit, bundled_audits, bundled_data
from core.assessment.audit.question import Level, ordered_questions
from core.assessment.audit.rendering import format_verdicts, gallery_html, level_strip
from core.base.signatures import apart_from_code
from core.edits.battery import read_battery, standard_battery
from core.results.cases.bundled_scores import bundled_samples, precomputed_scores
from core.results.cases.measures import affordable_resamples, draw_resamples, metric_rows, slice_cases
from core.results.cases.pooling import pool_cases
from core.results.runs.runner import continue_run
from core.results.runs.stress_run import Plan, StressRun
from core.scoring.engine.engine import Engine
from core.settings import Settings
from tests.unit.command_line import done

OUTDATED = "Run: make audits"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with closing(Engine.open(Settings(device="cpu", cache_dir=tmp_path_factory.mktemp("cache")))) as opened:
        yield opened


def test_every_packaged_metric_has_the_findings_and_signature_of_today() -> None:
    signatures = {one.metric: one.signature for one in precomputed_scores()}
    questions = [question.name for question in ordered_questions() if question.name != "cost"]
    assert {audit.metric: apart_from_code(audit.signature) for audit in bundled_audits().metrics} == {
        metric: apart_from_code(signatures[metric]) for metric in audited_metrics()
    }, OUTDATED
    for audit in bundled_audits().metrics:
        assert [one.question for one in audit.findings] == questions, OUTDATED
        assert not any(one.pairs for one in audit.findings)


def test_texts_and_labels_are_those_of_today() -> None:
    assert bundled_audits().data == bundled_data().facts, OUTDATED


@pytest.mark.slow
def test_the_rules_make_the_same_variants_today(engine: Engine) -> None:
    assert bundled_audits().battery == standard_battery(), OUTDATED
    run = StressRun(Plan.of("variants", standard_battery().perturbations(), ()))
    for source in bundled_data().sources:
        run.add(source)
    for _ in continue_run(engine, run):
        pass
    assert variants_sha256(run) == bundled_audits().variants_sha256, OUTDATED


def test_the_areas_are_those_of_the_scores_that_come_with_it() -> None:
    cases = pool_cases([bundled_samples()])
    rows = metric_rows(cases, slice_cases(cases), draw_resamples(cases, affordable_resamples(cases)), ("auc",))
    expected = {row.metric: row.figures["auc"].estimate for row in rows}
    for audit in bundled_audits().metrics:
        finding = audit.finding("sees-errors")
        assert finding
        assert finding.figure
        found, today = finding.figure.estimate, expected[audit.metric]
        assert (found.value, found.low, found.high, found.n) == (
            pytest.approx(today.value),
            pytest.approx(today.low),
            pytest.approx(today.high),
            today.n,
        ), OUTDATED


def test_a_gallery_has_a_card_for_each_and_the_best_first(tmp_path: Path) -> None:
    page = tmp_path / "gallery.html"
    done("audit", "--gallery", page)
    text = page.read_text(encoding="utf-8")
    assert text == gallery_html([bundled_audits()])
    places = {audit.metric: text.index(f"<h3>{audit.metric}</h3>") for audit in bundled_audits().metrics}
    good = {audit.metric: [one.level for one in audit.findings].count(Level.GOOD) for audit in bundled_audits().metrics}
    order = sorted(places, key=lambda metric: places[metric])
    assert [good[metric] for metric in order] == sorted(good.values(), reverse=True)
    assert "<script" not in text


def test_a_gallery_warns_where_audits_are_of_different_batteries() -> None:
    report = bundled_audits()
    other = replace(report, battery=read_battery("touchstone-1+number[most=2]"))
    signatures = [one.battery_label for one in (report, other)]
    assert "different batteries" not in gallery_html([report, replace(report, seed=1)])
    assert f"different batteries, {' and '.join(signatures)}" in gallery_html([report, other])
    assert all(f"; battery {one}<br>" in gallery_html([report, other]) for one in signatures)


def test_verdicts_are_counted_by_their_signs() -> None:
    audit = bundled_audit("rouge2")
    assert audit
    signs = format_verdicts(audit.findings)
    assert sum(int(part[1:]) for part in signs.split()) == sum(
        one.level in (Level.GOOD, Level.WEAK, Level.FAILS) for one in audit.findings
    )
    assert level_strip(audit.findings).count("<span") == len(audit.findings)
    assert bundled_audit("summac-zs") is None


def test_an_estimate_of_an_audit_keeps_its_key_for_the_error() -> None:
    written = report_json(bundled_audits())
    assert '"why": "' in written
    assert read_report(written) == bundled_audits()
