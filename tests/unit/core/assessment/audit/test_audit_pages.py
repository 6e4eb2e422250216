"""The report as HTML, Markdown and a badge: every verdict and figure is there, and nothing that people wrote is markup."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

from core.assessment.audit.audit_report import AuditReport, read_report, report_json
from core.assessment.audit.question import AuditAnswer, AuditFigure, Level, MetricAudit, ShownPair
from core.assessment.audit.rendering import (
    badge_svg,
    format_changes,
    format_report,
    report_html,
    report_markdown,
    shared_label,
)
from core.edits.battery import standard_battery
from core.results.runs.noise_strip import format_edge
from core.stats.statistic import Estimate

HOSTILE = "<script>alert(1)</script>"


def test_the_page_has_every_sentence_and_the_command(report: AuditReport) -> None:
    page = report_html(report)
    for audit in report.metrics:
        assert audit.summary.replace("“", "“") in page
        for finding in audit.findings:
            assert finding.title in page
    assert "python cli.py audit" in page
    assert all(one.sha256 in page for one in report.data)


def test_every_form_of_the_report_names_the_battery(report: AuditReport) -> None:
    assert report.battery == standard_battery()
    signature = standard_battery().signature
    for form in (report_html(report), report_markdown(report), format_report(report)):
        assert signature in form
    assert all(f"<code>{kind}</code>" in report_html(report) for kind in standard_battery().kinds)
    old = replace(report, battery=None)
    for form in (report_html(old), report_markdown(old), format_report(old)):
        assert "not recorded" in form


def test_the_page_draws_each_mean_shift_before_its_noise(report: AuditReport) -> None:
    shifts = [one for one in all_figures(report) if one.edge is not None]
    page = report_html(report)
    assert shifts
    assert page.count('<svg class="noise ') == len(shifts)
    for one in shifts:
        assert (
            f'aria-label="{format_edge(one.edge)} of the way to the edge of the noise, {one.remark}"'.replace(
                ">", "&gt;"
            )
            in page
        )


def test_a_mean_shift_twice_as_far_as_the_noise_lies_beyond_the_band(report: AuditReport) -> None:
    kind = f"mean shift, {HOSTILE}"
    figures = (
        AuditFigure(kind, Estimate(-0.2, -0.3, -0.1, 40), "score", "right way", 2.0),
        AuditFigure(kind, Estimate(0.05, 0.0, 0.1, 40), "score", "within noise", 0.5),
        AuditFigure(kind, Estimate(0.05, 0.0, 0.1, 40), "score", "noise unknown"),
    )
    finding = AuditAnswer("stillness", "Still", "still", Level.GOOD, "It stays.", details=figures)
    page = report_html(replace(report, metrics=(MetricAudit("m", "m|1", "fine", (finding,)),)))
    assert re.findall(r'<svg class="noise ([\w-]+)".*\n.*\n<rect class="mark" x="([\d.]+)"', page) == [
        ("right-way", f"{120 * (0.5 - 0.25 - 0.23 / 2) - 1.5:.1f}"),
        ("within-noise", f"{120 * (0.5 + 0.25 / 2) - 1.5:.1f}"),
    ]
    assert "<script" not in page


def test_the_shifts_before_their_noise_survive_a_file(report: AuditReport) -> None:
    assert all_figures(read_report(report_json(report))) == all_figures(report)


def all_figures(report: AuditReport) -> list[AuditFigure]:
    return [one for audit in report.metrics for finding in audit.findings for one in finding.details]


def test_the_page_asks_no_network(report: AuditReport) -> None:
    page = report_html(report)
    assert "<script" not in page
    assert "src=" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_texts_of_people_are_no_markup(report: AuditReport) -> None:
    pair = ShownPair(HOSTILE, "", HOSTILE, f"{HOSTILE} more", 0.5, None, HOSTILE)
    finding = AuditAnswer("q", HOSTILE, "axis", Level.WEAK, HOSTILE, pairs=(pair,), command=HOSTILE, warning=HOSTILE)
    hostile = replace(report, metrics=(MetricAudit(HOSTILE, HOSTILE, HOSTILE, (finding,)),), command=HOSTILE)
    assert "<script" not in report_html(hostile)
    assert HOSTILE not in badge_svg(hostile.metrics[0])


def test_a_badge_is_a_picture_that_names_its_verdict(report: AuditReport) -> None:
    picture = ElementTree.fromstring(badge_svg(report.metrics[-1]))
    assert picture.tag.endswith("svg")
    assert "12 of 12 good" in "".join(picture.itertext())


def test_markdown_and_terminal_say_the_same_figures(report: AuditReport) -> None:
    markdown, lines = report_markdown(report), format_report(report)
    for audit in report.metrics:
        for finding in audit.findings:
            if finding.figure:
                assert str(finding.figure) in markdown
                assert str(finding.figure) in lines
    assert f"Signature: `{report.metrics[0].signature}`" in markdown


def test_no_change_is_said_in_a_sentence() -> None:
    assert "No verdict changed" in format_changes([])


def test_figures_of_different_things_are_named_in_their_cells(report: AuditReport) -> None:
    one, other = (replace(audit, metric=name) for audit, name in zip(report.metrics[:2], ("one", "other"), strict=True))
    worst = one.finding("slices")
    assert worst
    assert worst.figure
    named = replace(worst, figure=replace(worst.figure, label="AUC, domain harbours"))
    other = replace(other, findings=tuple(named if two.question == "slices" else two for two in other.findings))
    assert shared_label((one, other), "slices") == ""
    assert shared_label((one, other), "sees-errors") == "area under the ROC curve"
    assert "<br>AUC, domain harbours" in report_html(replace(report, metrics=(one, other)))
