"""The report on the page: a strip for each metric, the findings side by side, and one finding down to its pairs on Probe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from annotations.exchange.samples import newer_references
from core.assessment import (
    JUDGED_LEVELS,
    LEVEL_MARKS,
    AuditAnswer,
    AuditReport,
    AuditSource,
    AuditTask,
    JudgeCard,
    MetricAudit,
    StillnessQuestion,
    audit_pin,
    badge_svg,
    data_name,
    false_verdicts,
    judge_cards,
    level_strip,
    metric_cells,
    report_html,
    report_json,
    report_markdown,
    shared_label,
)
from core.data import format_dataset
from core.scoring import metric_title
from core.text import as_segments, recover
from pages.server import services
from pages.server.component_scripts import read_asset
from pages.ui.audit.audit_form import AUDIT_PARAMETER, LEVEL_COLOURS, AuditState, audit_newer_version
from pages.ui.audit.figure_source import figure_source, probe_button
from pages.ui.results.copy_popover import copy_popover, copy_table
from pages.ui.results.noise_strip import kind_strips
from pages.ui.results.pin_form import pin_button
from pages.ui.results.project_button import audit_work, project_button
from pages.ui.shared.markup import diff_html, escape_label, escape_markdown


def report_downloads(opened: AuditTask, report: AuditReport) -> None:
    """The report as files and as a pin, and the command that repeats it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            escape_markdown(
                "; ".join(
                    [
                        *(
                            f"{format_dataset(facts.name)}: {facts.summaries:,} summaries, {facts.documents:,} documents"
                            for facts in report.data
                        ),
                    ]
                )
            ),
            help=escape_markdown(f"Set of perturbations: {report.battery_label}"),
        )
        st.space("stretch")
        metric, data = report.metrics[0].metric, data_name(report)
        project_button(audit_work(metric, data), f"{metric_title(metric)} on {data}")
        datasets = tuple(facts.name for facts in report.data)
        whole = AuditSource(
            tuple(opened.metrics),
            datasets,
            opened.data.most or 0,
            opened.data.battery.name,
            thresholds=tuple(opened.thresholds),
            opened=st.query_params.get(AUDIT_PARAMETER, ""),
        )
        titles = {finding.question: finding.title for audit in report.metrics for finding in audit.findings}
        findings = {
            f"Finding: {title}": partial(audit_pin, report, replace(whole, question=question))
            for question, title in titles.items()
        }
        offers = {"The whole audit": partial(audit_pin, report, whole), **findings}
        pin_button("audit", offers)
        copy_popover(lambda: next(iter(offers.values()))().content, "audit")
        st.download_button("HTML", lambda: report_html(report), "audit.html", mime="text/html", on_click="ignore")
        st.download_button("JSON", lambda: report_json(report), "audit.json", on_click="ignore")
        st.download_button("Model card", lambda: report_markdown(report), "audit.md", on_click="ignore")
        st.download_button("Badge", lambda: badge_svg(report.metrics[0]), "audit.svg", on_click="ignore")
    audit_newer_version(newer_references(services.store(), datasets), "audit", whole)
    with st.expander("The same in the terminal", icon=":material/terminal:"):
        st.code(report.command, language=None, wrap_lines=True)


def report_view(opened: AuditTask, report: AuditReport) -> None:
    """Every metric at a glance, then the findings of one."""
    import pandas as pd

    st.html(f"<style>{read_asset('audit.css')}</style>")
    for audit in report.metrics:
        st.markdown(f"**{escape_markdown(metric_title(audit.metric))}**: {escape_markdown(audit.summary)}")
        st.html(level_strip(audit.common, "audit-strip"))
    if len(report.metrics) > 1:
        audits = report.metrics
        lines = [
            {
                "question": finding.title,
                "figure": shared_label(audits, finding.question) or None,
                **{audit.metric: _cell(audits, finding.question, audit) for audit in audits},
            }
            for finding in audits[0].common
        ]
        frame = pd.DataFrame(lines)
        st.dataframe(frame, hide_index=True, height="auto", alt="The metrics side by side", placeholder="–")
        copy_table("The metrics side by side", frame, "audit-metrics")
    for card in judge_cards(report.metrics):
        _judge_card(card)
    names = [audit.metric for audit in report.metrics]
    shown = names[0]
    if len(names) > 1:
        shown = st.segmented_control("Findings of", names, default=names[0], required=True, key=AuditState.shown.key)
    audit = next((audited for audited in report.metrics if audited.metric == shown), report.metrics[0])
    st.caption(escape_markdown(audit.signature))
    for finding in audit.findings:
        _finding(opened, audit, finding)
    table = false_verdicts()  # on metrics of known worth
    with st.expander("How often such a verdict is false", icon=":material/balance:"):
        st.caption(
            f"{len(table.metrics)} metrics of known worth, audited with {len(table.seeds)} seeds on {table.data}: "
            f"{table.total().false} of {table.total().given:,} verdicts were not those that they deserve."
        )
        columns = [f"false of {level.value}" for level in JUDGED_LEVELS]
        rows = [
            [title, *(f"{rate.false} of {rate.given}" if rate else None for rate in of)] for title, of in table.rows()
        ]
        st.dataframe(
            pd.DataFrame(rows, columns=["question", *columns]),
            hide_index=True,
            height="auto",
            alt="False verdicts by question",
            placeholder="–",
        )


def _judge_card(card: JudgeCard) -> None:
    """Show what was found about a model at an endpoint, a column for each metric that asks it."""
    import pandas as pd

    with st.container(border=True):
        st.markdown(f"**Judge card: {escape_markdown(card.model.title)}**")
        for audit in card.audits:
            st.html(level_strip(audit.on_card, "audit-strip"))
        rows = []
        for title, of in card.rows():
            row: dict[str, str | None] = {"question": title}
            for judge_audit, finding in zip(card.audits, of, strict=True):
                row[judge_audit.metric] = None
                if finding is not None:
                    figure = f"{finding.figure} ({finding.figure.label})" if finding.figure else finding.sentence
                    row[judge_audit.metric] = f"{LEVEL_MARKS[finding.level][1]} {finding.level.value} · {figure}"
            rows.append(row)
        st.dataframe(pd.DataFrame(rows), hide_index=True, height="auto", alt="The card of the judge", placeholder="–")


def _cell(audits: Sequence[MetricAudit], question: str, audit: MetricAudit) -> str | None:
    finding = audit.finding(question)
    if finding is None:
        return None
    verdict = f"{LEVEL_MARKS[finding.level][1]} {finding.level.value}"
    if finding.figure is None:
        return verdict
    label = "" if shared_label(audits, question) else f" ({finding.figure.label})"
    return f"{verdict} · {finding.figure}{label}"


def _finding(opened: AuditTask, audit: MetricAudit, finding: AuditAnswer) -> None:
    """One question, folded; its pairs are drawn while it is open."""
    import pandas as pd

    colour, sign = LEVEL_COLOURS.get(finding.level, "gray"), LEVEL_MARKS[finding.level][1]
    figure = f" {finding.figure} ({finding.figure.label})" if finding.figure else ""
    label = f":{colour}[**{sign} {finding.level.value}**] {escape_label(f'{finding.title}{figure}')}"
    box = st.expander(label, key=f"audit-{audit.metric}-{finding.question}", on_change="rerun")
    if not box.open:
        return
    with box:
        st.write(escape_markdown(finding.sentence))
        if finding.warning:
            st.warning(escape_markdown(finding.warning), icon=":material/warning:")

        if finding.details:
            lines = [
                {
                    "": figure.label,
                    "figure [95 %]": str(figure),
                    "n": figure.estimate.n,
                    "remark": figure.remark or None,
                }
                for figure in dict.fromkeys((finding.figure, *finding.details) if finding.figure else finding.details)
            ]
            frame = pd.DataFrame(lines).dropna(axis="columns", how="all")
            st.dataframe(frame, hide_index=True, height="auto", alt="The figures of this finding", placeholder="")
            copy_table(finding.title, frame, f"audit-{audit.metric}-{finding.question}")

        if opened.evidence and finding.question == StillnessQuestion.name:
            kind_strips(metric_cells(opened.evidence, audit.metric), key=f"audit-strips-{audit.metric}")

        for place, pair in enumerate(finding.pairs):
            key = f"{audit.metric}-{finding.question}-{place}"
            scores = " → ".join(
                "failed" if score is None else f"{score:.3f}" for score in (pair.score_before, pair.score_after)
            )
            with st.container(border=True):
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.caption(escape_markdown(f"{pair.remark or pair.source} · score {scores}"))
                    st.space("stretch")
                    probe_button(opened, pair, key)
                st.html(diff_html(as_segments(pair.before, recover(pair.before, pair.after))))
        figure_source(opened, audit, finding)
        if finding.command:
            st.code(finding.command, language=None, wrap_lines=True)
