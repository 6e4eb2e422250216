"""The audits of a metric over time: figures in their order, and what was another one than before."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.assessment.audit.audit_report import AuditReport, instrument_sentence, read_report, report_json
from core.assessment.audit.history import (
    KeptAudit,
    by_data,
    format_history,
    history_points,
    last_report,
    reports_to_keep,
)
from core.assessment.audit.question import AuditAnswer, AuditFigure, Level, MetricAudit, ShownPair
from core.edits.battery import read_battery, standard_battery
from core.results.cases.data_facts import DataFacts
from core.stats.statistic import Estimate
from pages.ui.audit.audit_history import history_chart

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
DATA = DataFacts("few", "a" * 64, 40, 20)
PAIR = ShownPair("one", "", "It rained.", "It snowed.", 0.5, 0.4)


def kept(day: int, area: float | None, signature: str = "m|1", data: DataFacts = DATA, metric: str = "m") -> KeptAudit:
    figure = None if area is None else AuditFigure("area", Estimate(area, area - 0.1, area + 0.1, 40))
    finding = AuditAnswer("sees-errors", "Does it see errors?", "sees", Level.WEAK, "So.", figure, pairs=(PAIR,))
    report = AuditReport((data,), (MetricAudit(metric, signature, "", (finding,)),), "python cli.py audit m")
    return KeptAudit(FIRST + timedelta(days=day), report)


def test_a_point_names_what_changed_since_the_audit_before() -> None:
    audits = [kept(0, 0.7), kept(1, 0.71), kept(2, 0.6, signature="m|2"), kept(3, 0.6, signature="m|2")]
    audits[3] = replace(audits[3], report=replace(audits[3].report, version="other", variants_sha256="b"))
    points = history_points(audits, "sees-errors")
    assert [point.changes for point in points] == [(), (), ("signature",), ("version", "variants")]
    assert [point.finding.figure.estimate.value for point in points if point.finding.figure] == [0.7, 0.71, 0.6, 0.6]


def with_battery(audit: KeptAudit, spec: str, variants: str) -> KeptAudit:
    return replace(audit, report=replace(audit.report, battery=read_battery(spec), variants_sha256=variants))


def test_a_point_names_both_batteries_where_it_changed() -> None:
    longer = read_battery("touchstone-1+number[most=2]")
    audits = [
        with_battery(kept(0, 0.7), "touchstone-1", "a"),
        with_battery(kept(1, 0.7), "touchstone-1", "a"),
        with_battery(kept(2, 0.6), longer.name, "b"),
    ]
    points = history_points(audits, "sees-errors")
    changed = f"battery {standard_battery().signature} → {longer.signature}"
    assert [point.changes for point in points] == [(), (), (changed, "variants")]
    text = format_history(audits)
    assert text.splitlines()[0] == f"m on few, battery {standard_battery().signature} and {longer.signature}"
    assert [one["text"] for one in history_chart(points).to_dict()["layout"]["annotations"]] == [
        f"{changed}<br>variants"
    ]


def test_an_audit_of_before_batteries_had_names_is_read_and_says_so() -> None:
    report = replace(kept(0, 0.7).report, variants_sha256="a")
    old = read_report(report_json(report).replace(' "battery": null,\n', ""))
    assert old == report
    assert "not recorded" in format_history([replace(kept(0, 0.7), report=old)])
    same, other = (with_battery(kept(1, 0.7), "touchstone-1", variants) for variants in ("a", "b"))
    assert instrument_sentence(old, same.report) == ""  # the variants are the same: so were the kinds
    assert f"not recorded, and this one {standard_battery().signature}" in instrument_sentence(old, other.report)


def test_two_audits_of_different_batteries_are_said_to_be_of_other_edits() -> None:
    one, other = (
        with_battery(kept(0, 0.7), "touchstone-1", "a"),
        with_battery(kept(1, 0.7), "touchstone-1+number[most=2]", "b"),
    )
    assert "has another battery: touchstone-1:" in instrument_sentence(one.report, other.report)
    assert instrument_sentence(one.report, one.report) == ""
    changed_rules = with_battery(kept(0, 0.7), "touchstone-1", "c")
    assert instrument_sentence(one.report, changed_rules.report).startswith("The rules made other variants")


def test_the_last_report_is_of_one_battery() -> None:
    audits = [
        with_battery(kept(0, 0.1, metric="n"), "touchstone-1", "a"),
        with_battery(kept(1, 0.2), "touchstone-1", "a"),
        with_battery(kept(2, 0.3), "touchstone-1+number[most=2]", "b"),
    ]
    both = replace(audits[0].report, metrics=(audits[1].audit, audits[0].audit))
    found = last_report(audits, both)
    assert found
    assert (found.battery, [one.metric for one in found.metrics]) == (audits[2].report.battery, ["m"])


def test_the_last_report_is_of_the_same_data_and_of_each_metric() -> None:
    other = replace(DATA, sha256="b" * 64)
    audits = [kept(0, 0.7), kept(1, 0.8), kept(2, 0.1, data=other), kept(0, 0.5, metric="n")]
    both = replace(audits[0].report, metrics=(kept(9, 0.9).audit, kept(9, 0.9, metric="n").audit))
    found = last_report(audits, both)
    assert found
    assert [one.findings[0].figure.estimate.value for one in found.metrics if one.findings[0].figure] == [0.8, 0.5]
    assert last_report(audits, replace(both, data=(replace(DATA, sha256="c" * 64),))) is None


def test_texts_of_pairs_are_not_kept() -> None:
    [alone] = reports_to_keep(kept(0, 0.7).report)
    assert alone.metrics[0].findings[0].pairs == ()
    assert alone.metrics[0].findings[0].figure == kept(0, 0.7).audit.findings[0].figure


def test_data_of_two_names_are_two_tables() -> None:
    audits = [kept(0, 0.7), kept(1, 0.8, data=replace(DATA, name="many")), kept(2, None)]
    assert {name: len(found) for name, found in by_data(audits).items()} == {"few": 2, "many": 1}
    text = format_history(audits)
    assert text.count("m on ") == 2
    assert "0.700 [0.600, 0.800]" in text


def test_a_chart_has_a_band_a_point_for_each_audit_and_a_line_where_something_changed() -> None:
    points = history_points([kept(0, 0.7), kept(1, 0.8), kept(2, 0.6, signature="m|2")], "sees-errors")
    drawn = history_chart(points).to_dict()
    high, low, middle = drawn["data"]
    assert list(middle["y"]) == [0.7, 0.8, 0.6]
    assert list(high["y"]) == pytest.approx([0.8, 0.9, 0.7])
    assert list(low["y"]) == pytest.approx([0.6, 0.7, 0.5])
    assert [one["text"] for one in drawn["layout"]["annotations"]] == ["signature"]
    assert len(drawn["layout"]["shapes"]) == 1


def test_a_first_audit_stands_in_the_middle_of_two_days() -> None:
    drawn = history_chart(history_points([kept(0, 0.7)], "sees-errors")).to_dict()
    assert drawn["layout"]["xaxis"]["range"] == [FIRST - timedelta(days=1), FIRST + timedelta(days=1)]
