"""The kept audits of a metric on some data: a question's figure over time, and what had changed before each audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from html import escape
from shlex import quote
from types import MappingProxyType

import plotly.graph_objects as go
import streamlit as st

from core.assessment.audit.history import HistoryPoint, KeptAudit, by_data, history_points, setup_changes
from core.assessment.audit.question import LEVEL_MARKS, Finding, Level, Unit
from core.assessment.audit.report_html import format_verdicts
from core.scoring.metric import metric_title
from pages.server import services
from pages.sources.audit_history import kept_audits
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
    wanted = (st.query_params.get("metric", ""), st.query_params.get("data", ""))
    box = st.expander(
        "History", icon=":material/timeline:", key="audit-history", on_change="rerun", expanded=wanted in audited
    )
    if not box.open:
        return
    with box:
        choices = st.container(horizontal=True)
        metric, data = choices.selectbox(
            "Metric and data",
            audited,
            index=audited.index(wanted) if wanted in audited else 0,
            key="audit-history-of",
            format_func=" on ".join,
            width=_CHOICE_PX,
        )
        kept = by_data(kept_audits(services.store(), metric))[data]
        with choices:
            points = _chosen_points(kept)
        if points:
            last = points[-1].finding.figure
            st.plotly_chart(
                history_chart(points),
                key="audit-history-chart",
                alt=f"{last.label if last else ''} of {len(points)} audits, the last one {last}",
            )
        rows = []
        for place in reversed(range(len(kept))):
            one = kept[place]
            rows.append(
                {
                    "finished (UTC)": f"{one.finished:%Y-%m-%d %H:%M}",
                    "verdicts": format_verdicts(one.audit.findings),
                    "changed": ", ".join(setup_changes(kept[place - 1] if place else None, one)) or None,
                    **{
                        finding.axis: f"{LEVEL_MARKS[finding.level][1]} {finding.figure}" if finding.figure else None
                        for finding in one.audit.findings
                    },
                    "battery": one.report.battery_label,
                    "version": one.report.version,
                    "signature": one.audit.signature,
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
        st.code(f"python cli.py audit --history {quote(metric)}", language=None, wrap_lines=True)


def _chosen_points(kept: Sequence[KeptAudit]) -> list[HistoryPoint]:
    """The audits of a question that is chosen among those with a figure; none where no audit has one."""
    titles = {
        finding.question: finding.title for one in kept for finding in one.audit.findings if _value(finding) is not None
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
    return [one for one in history_points(kept, question) if _value(one.finding) is not None]


def history_chart(points: Sequence[HistoryPoint]) -> go.Figure:
    """A question's figure with its 95 % interval at each audit, coloured by verdict, and a line where the setup changed."""
    figures = [one.finding.figure for one in points if one.finding.figure is not None]
    estimates = [one.estimate for one in figures]
    times = [one.finished for one in points]
    hover_texts = []
    for one in points:
        changed = f"<br>changed: {', '.join(one.changes)}" if one.changes else ""
        label = escape(one.finding.figure.label) if one.finding.figure else ""
        verdict = f"{one.finding.level.value}: {label} {one.finding.figure}"
        hover_texts.append(f"{one.finished:%Y-%m-%d %H:%M} UTC<br>{verdict}{changed}")
    drawn = go.Figure()
    lows = [one.value if one.low is None else one.low for one in estimates]
    highs = [one.value if one.high is None else one.high for one in estimates]
    drawn.add_scatter(x=times, y=highs, mode="lines", line_width=0, hoverinfo="skip")
    drawn.add_scatter(
        x=times, y=lows, mode="lines", line_width=0, fill="tonexty", fillcolor=BAND_COLOUR, hoverinfo="skip"
    )
    drawn.add_scatter(
        x=times,
        y=[one.value for one in estimates],
        error_y=error_bars(estimates),
        mode="lines+markers",
        line={"color": LINE_COLOUR, "width": 1.5},
        marker={"size": 11, "color": [_LEVEL_COLOURS.get(one.finding.level, _OTHER_COLOUR) for one in points]},
        customdata=hover_texts,
        hovertemplate="%{customdata}<extra></extra>",
    )
    for one in points:
        if one.changes:
            drawn.add_vline(one.finished.timestamp() * 1000, line={"dash": "dot", "width": 1, "color": LINE_COLOUR})
            drawn.add_annotation(
                x=one.finished, y=1, yref="paper", yanchor="bottom", showarrow=False, text="<br>".join(one.changes)
            )
    if len(points) == 1:  # plotly would draw an axis of milliseconds
        drawn.update_xaxes(range=[times[0] - _DAY, times[0] + _DAY])
    if figures[-1].unit in ("area", "share"):
        drawn.update_yaxes(range=[-0.02, 1.02])
    drawn.update_yaxes(title=_AXIS_TITLES.get(figures[-1].unit, figures[-1].unit))
    return lay_out(drawn, escape(figures[-1].label), _HEIGHT_PX, showlegend=False, margin={"t": 96, "b": 30})


def _value(finding: Finding) -> float | None:
    return finding.figure.estimate.value if finding.figure else None
