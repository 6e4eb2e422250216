"""The kept audits of a metric on some data: a question's figure over time, and what had changed before each audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from html import escape
from shlex import quote
from types import MappingProxyType

import plotly.graph_objects as go
import streamlit as st

from annotations.exchange.samples import newer_references
from core.assessment import (
    LEVEL_MARKS,
    AuditAnswer,
    AuditSource,
    HistoryPoint,
    KeptAudit,
    Level,
    Unit,
    by_data,
    format_verdicts,
    history_points,
    setup_changes,
)
from core.edits import STANDARD_BATTERY
from core.scoring import metric_title
from pages.server import services
from pages.sources.audit_history import kept_audits
from pages.ui.audit.audit_form import audit_newer_version
from pages.ui.results.copy_popover import copy_table
from pages.ui.results.plots import BAND_COLOUR, LINE_COLOUR, error_bars, lay_out
from pages.ui.results.project_button import audit_work, project_button

_LEVEL_COLOURS: Mapping[Level, str] = MappingProxyType(
    {Level.GOOD: "#1f8058", Level.WEAK: "#c88c00", Level.FAILS: "#c9401c"}
)
_OTHER_COLOUR = "#808080"
_AXIS_TITLES: Mapping[Unit, str] = MappingProxyType({"deviations": "standard deviations", "quotient": "quotient"})
_HEIGHT_PX = 340
_CHOICE_PX = 420
_DAY = timedelta(days=1)


def audit_history() -> None:
    """Folded unless the address names a metric and data; drawn while it is open, and not at all before anything is kept."""
    import pandas as pd

    audited = [*services.store().audited()]
    if not audited:
        return
    addressed = (st.query_params.get("metric", ""), st.query_params.get("data", ""))
    box = st.expander(
        "History", icon=":material/timeline:", key="audit-history", on_change="rerun", expanded=addressed in audited
    )
    if not box.open:
        return
    with box:
        choices = st.container(horizontal=True)
        metric, data = choices.selectbox(
            "Metric and data",
            audited,
            index=audited.index(addressed) if addressed in audited else 0,
            key="audit-history-of",
            format_func=" on ".join,
            width=_CHOICE_PX,
        )
        audits = by_data(kept_audits(services.store(), metric))[data]
        with choices:
            points = _chosen_points(audits)
        if points:
            last = points[-1].finding.figure
            st.plotly_chart(
                history_chart(points),
                key="audit-history-chart",
                alt=f"{last.label if last else ''} of {len(points)} audits, the last one {last}",
            )
        rows = []
        for place in reversed(range(len(audits))):
            audit = audits[place]
            rows.append(
                {
                    "finished (UTC)": f"{audit.finished:%Y-%m-%d %H:%M}",
                    "verdicts": format_verdicts(audit.audit.findings),
                    "changed": ", ".join(setup_changes(audits[place - 1] if place else None, audit)) or None,
                    **{
                        finding.axis: f"{LEVEL_MARKS[finding.level][1]} {finding.figure}" if finding.figure else None
                        for finding in audit.audit.findings
                    },
                    "battery": audit.report.battery_label,
                    "version": audit.report.version,
                    "signature": audit.audit.signature,
                }
            )
        frame = pd.DataFrame(rows)
        st.dataframe(
            frame,
            hide_index=True,
            height="auto",
            alt="The kept audits, the last one first",
            placeholder="",
        )
        with st.container(horizontal=True):
            copy_table(f"Audits of {metric_title(metric)} on {data}", frame, "audit-history")
            project_button(audit_work(metric, data), f"{metric_title(metric)} on {data}", "history")
        last_report = audits[-1].report
        datasets = tuple(facts.name for facts in last_report.data)
        battery = last_report.battery.name if last_report.battery else STANDARD_BATTERY
        audit_newer_version(
            newer_references(services.store(), datasets), "history", AuditSource((metric,), datasets, 0, battery)
        )
        st.code(f"python cli.py audit --history {quote(metric)}", language=None, wrap_lines=True)


def _chosen_points(audits: Sequence[KeptAudit]) -> list[HistoryPoint]:
    """The audits of a question that is chosen among those with a figure; none where no audit has one."""
    titles = {
        finding.question: finding.title
        for row in audits
        for finding in row.audit.findings
        if _value(finding) is not None
    }
    if not titles:
        st.info("None of these audits has a figure.")
        return []
    question = st.selectbox(
        "Question",
        list(titles),
        index=0,
        key="audit-history-question",
        format_func=lambda name: titles[name],
        width=_CHOICE_PX,
    )
    return [point for point in history_points(audits, question) if _value(point.finding) is not None]


def history_chart(points: Sequence[HistoryPoint]) -> go.Figure:
    """A question's figure with its 95 % interval at each audit, coloured by verdict, and a line where the setup changed."""
    figures = [point.finding.figure for point in points if point.finding.figure is not None]
    estimates = [figure.estimate for figure in figures]
    times = [point.finished for point in points]
    hover_texts = []
    for point in points:
        changed = f"<br>changed: {', '.join(point.changes)}" if point.changes else ""
        label = escape(point.finding.figure.label) if point.finding.figure else ""
        verdict = f"{point.finding.level.value}: {label} {point.finding.figure}"
        hover_texts.append(f"{point.finished:%Y-%m-%d %H:%M} UTC<br>{verdict}{changed}")
    chart = go.Figure()
    lows = [estimate.value if estimate.low is None else estimate.low for estimate in estimates]
    highs = [estimate.value if estimate.high is None else estimate.high for estimate in estimates]
    chart.add_scatter(x=times, y=highs, mode="lines", line_width=0, hoverinfo="skip")
    chart.add_scatter(
        x=times, y=lows, mode="lines", line_width=0, fill="tonexty", fillcolor=BAND_COLOUR, hoverinfo="skip"
    )
    chart.add_scatter(
        x=times,
        y=[estimate.value for estimate in estimates],
        error_y=error_bars(estimates),
        mode="lines+markers",
        line={"color": LINE_COLOUR, "width": 1.5},
        marker={"size": 11, "color": [_LEVEL_COLOURS.get(point.finding.level, _OTHER_COLOUR) for point in points]},
        customdata=hover_texts,
        hovertemplate="%{customdata}<extra></extra>",
    )
    for point in points:
        if point.changes:
            chart.add_vline(point.finished.timestamp() * 1000, line={"dash": "dot", "width": 1, "color": LINE_COLOUR})
            chart.add_annotation(
                x=point.finished, y=1, yref="paper", yanchor="bottom", showarrow=False, text="<br>".join(point.changes)
            )
    if len(points) == 1:  # plotly would draw an axis of milliseconds
        chart.update_xaxes(range=[times[0] - _DAY, times[0] + _DAY])
    if figures[-1].unit in ("area", "share"):
        chart.update_yaxes(range=[-0.02, 1.02])
    chart.update_yaxes(title=_AXIS_TITLES.get(figures[-1].unit, figures[-1].unit))
    return lay_out(chart, escape(figures[-1].label), _HEIGHT_PX, showlegend=False, margin={"t": 96, "b": 30})


def _value(finding: AuditAnswer) -> float | None:
    return finding.figure.estimate.value if finding.figure else None
