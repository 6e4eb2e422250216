"""The report on the page: a strip for each metric, the findings side by side, and one finding down to its pairs on Probe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core.assessment.audit.false_verdicts import false_verdicts
from core.assessment.audit.history import data_name
from core.assessment.audit.judge_card import JudgeCard, judge_cards
from core.assessment.audit.question import JUDGED_LEVELS, LEVEL_MARKS, Finding, Level, MetricAudit
from core.assessment.audit.questions.stillness import Stillness, metric_cells
from core.assessment.audit.report import AuditReport, report_json
from core.assessment.audit.report_html import level_strip, report_html, shared_label
from core.assessment.audit.report_text import badge_svg, report_markdown
from core.assessment.audit.task import AuditTask
from core.assessment.pinned.making import audit_pin
from core.assessment.pinned.pin import AuditSource
from core.scoring.metric import metric_title
from core.text.edits import as_segments, recover
from pages.ui.audit.audit_form import AUDIT_PARAMETER, AuditState
from pages.ui.audit.figure_source import figure_source, probe_button
from pages.ui.results.copy_popover import copy_popover, copy_table
from pages.ui.results.noise_strip import kind_strips
from pages.ui.results.pin_form import pin_button
from pages.ui.results.project_button import audit_work, project_button
from pages.ui.shared.markup import diff_html, escape_label, escape_markdown, read_asset

_LEVEL_COLOURS = {Level.GOOD: "green", Level.WEAK: "orange", Level.FAILS: "red"}


def report_downloads(opened: AuditTask, report: AuditReport) -> None:
    """The report as files and as a pin, and the command that repeats it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            escape_markdown(
                "; ".join(
                    [
                        *(
                            f"{one.name}: {one.summaries:,} summaries, {one.documents:,} documents"
                            for one in report.data
                        ),
                        f"battery {report.battery_label}",
                    ]
                )
            )
        )
        st.space("stretch")
        metric, data = report.metrics[0].metric, data_name(report)
        project_button(audit_work(metric, data), f"{metric_title(metric)} on {data}")
        datasets = tuple(one.name for one in report.data)
        whole = AuditSource(
            tuple(opened.metrics),
            datasets,
            opened.data.most or 0,
            opened.data.battery.name,
            thresholds=tuple(opened.thresholds),
            opened=st.query_params.get(AUDIT_PARAMETER, ""),
        )
        titles = {one.question: one.title for audit in report.metrics for one in audit.findings}
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
                "question": one.title,
                "figure": shared_label(audits, one.question) or None,
                **{audit.metric: _cell(audits, one.question, audit) for audit in audits},
            }
            for one in audits[0].common
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
    audit = next((one for one in report.metrics if one.metric == shown), report.metrics[0])
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
        rows = [[title, *(f"{one.false} of {one.given}" if one else None for one in of)] for title, of in table.rows()]
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
            for one, found in zip(card.audits, of, strict=True):
                row[one.metric] = None
                if found is not None:
                    figure = f"{found.figure} ({found.figure.label})" if found.figure else found.sentence
                    row[one.metric] = f"{LEVEL_MARKS[found.level][1]} {found.level.value} · {figure}"
            rows.append(row)
        st.dataframe(pd.DataFrame(rows), hide_index=True, height="auto", alt="The card of the judge", placeholder="–")


def _cell(audits: Sequence[MetricAudit], question: str, audit: MetricAudit) -> str | None:
    found = audit.finding(question)
    if found is None:
        return None
    verdict = f"{LEVEL_MARKS[found.level][1]} {found.level.value}"
    if found.figure is None:
        return verdict
    label = "" if shared_label(audits, question) else f" ({found.figure.label})"
    return f"{verdict} · {found.figure}{label}"


def _finding(opened: AuditTask, audit: MetricAudit, found: Finding) -> None:
    """One question, folded; its pairs are drawn while it is open."""
    import pandas as pd

    colour, sign = _LEVEL_COLOURS.get(found.level, "gray"), LEVEL_MARKS[found.level][1]
    figure = f" {found.figure} ({found.figure.label})" if found.figure else ""
    label = f":{colour}[**{sign} {found.level.value}**] {escape_label(f'{found.title}{figure}')}"
    box = st.expander(label, key=f"audit-{audit.metric}-{found.question}", on_change="rerun")
    if not box.open:
        return
    with box:
        st.write(escape_markdown(found.sentence))
        if found.warning:
            st.warning(escape_markdown(found.warning), icon=":material/warning:")

        if found.details:
            lines = [
                {"": one.label, "figure [95 %]": str(one), "n": one.estimate.n, "remark": one.remark or None}
                for one in dict.fromkeys((found.figure, *found.details) if found.figure else found.details)
            ]
            frame = pd.DataFrame(lines).dropna(axis="columns", how="all")
            st.dataframe(frame, hide_index=True, height="auto", alt="The figures of this finding", placeholder="")
            copy_table(found.title, frame, f"audit-{audit.metric}-{found.question}")

        if opened.evidence and found.question == Stillness.name:
            kind_strips(metric_cells(opened.evidence, audit.metric), key=f"audit-strips-{audit.metric}")

        for place, pair in enumerate(found.pairs):
            key = f"{audit.metric}-{found.question}-{place}"
            scores = " → ".join(
                "failed" if score is None else f"{score:.3f}" for score in (pair.score_before, pair.score_after)
            )
            with st.container(border=True):
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.caption(escape_markdown(f"{pair.remark or pair.source} · score {scores}"))
                    st.space("stretch")
                    probe_button(opened, pair, key)
                st.html(diff_html(as_segments(pair.before, recover(pair.before, pair.after))))
        figure_source(opened, audit, found)
        if found.command:
            st.code(found.command, language=None, wrap_lines=True)
