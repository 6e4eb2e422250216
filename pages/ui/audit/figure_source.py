"""Source of the figures of a finding: the page that shows them too, or every text and pair that they were counted from."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from core.assessment import QUESTIONS, AuditAnswer, AuditTask, MetricAudit, ShownPair
from core.errors import TouchstoneError
from core.results import StressRun
from core.text import as_segments, recover
from pages.ui.audit.audit_form import AUDIT_PARAMETER, audit_state
from pages.ui.results.run_choice import begin_run, listed_runs
from pages.ui.shared.grouped_views import TAB_PARAMETER, enter_view, view_title
from pages.ui.shared.markup import diff_html, escape_label, escape_message
from pages.ui.stress.variant_view import open_in_probe

_MOST_CASES = 2_000
_TABLE_PX = 320


def figure_source(opened: AuditTask, audit: MetricAudit, finding: AuditAnswer) -> None:
    """The way to the page that shows the same figures, and what those that only the audit has were counted from."""
    import pandas as pd

    if opened.evidence is None:
        return
    question = QUESTIONS.build(finding.question, {})
    if question.page == "evaluate":
        data = [("dataset", facts.name) for facts in opened.data.facts]
        st.link_button(
            f"Open on Evaluate, {view_title(question.tab)}",
            f"/evaluate?{urlencode([*data, ('by', finding.by), (TAB_PARAMETER, question.tab)])}",
            icon=":material/bar_chart:",
        )
    elif question.page == "stress":
        runs = {question.tab: opened.evidence.run}
        if question.name == "reading":
            # the run of the windows stands alone; a metric may have neither windows nor sentences
            swept = opened.evidence.sweeps.get(audit.metric)
            runs = {} if swept is None else {question.tab: swept}
            runs |= (
                {"readings[view=density]": opened.evidence.run} if opened.evidence.densities.get(audit.metric) else {}
            )
        with st.container(horizontal=True):
            for tab, run in runs.items():
                key = f"audit-run-{audit.metric}-{question.name}-{tab}"
                if st.button(f"Open on Stress test, {view_title(tab)}", icon=":material/bolt:", key=key):
                    _open_run(opened, run, tab)
        if problem := audit_state().run_error:
            st.error(escape_message(problem), icon=":material/error:")
    cases = question.cases(opened.evidence, audit.metric)
    if not cases:
        return
    shown = cases[:_MOST_CASES]
    st.caption(
        f"Counted from {len(cases):,} cases"
        f"{f', of which the first {_MOST_CASES:,} are listed' if len(cases) > _MOST_CASES else ''}; select one for its text."
    )
    event = st.dataframe(
        pd.DataFrame([row.cells for row in shown]),
        key=f"audit-cases-{audit.metric}-{finding.question}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=min(38 + 35 * len(shown), _TABLE_PX),
        alt=f"What the figures were counted from: {escape_label(finding.title)}",
        placeholder="",
    )
    for place in event["selection"]["rows"]:
        pair = shown[place].pair
        st.html(diff_html(as_segments(pair.before, recover(pair.before, pair.after))))
        probe_button(opened, pair, f"case-{audit.metric}-{finding.question}")


def _open_run(opened: AuditTask, run: StressRun, tab: str) -> None:
    """Show that tab of the run, which is kept at the first time under a name that tells it from those of other audits."""
    data = " and ".join(facts.name for facts in opened.data.facts)
    name = f"{run.plan.name} of {', '.join(run.plan.metrics)} on {data}, {st.query_params[AUDIT_PARAMETER]}"
    id = next((row.id for row in listed_runs().values() if row.name == name), "")
    try:
        id = id or begin_run(replace(run, plan=replace(run.plan, name=name)))
    except TouchstoneError as error:
        audit_state().run_error = str(error)
        st.rerun()
    audit_state().run_error = ""
    enter_view("stress", tab)
    st.switch_page("views/stress.py", query_params={"run": id})


def probe_button(opened: AuditTask, pair: ShownPair, key: str) -> None:
    """A variant of a stress run, or a stored pair, with the metrics of the bench beside it."""
    runs = (opened.evidence.run, opened.evidence.gaming_run) if opened.evidence else ()
    run = next((run for run in runs if (pair.source, pair.kind) in run.variants), None)  # none made a pair of the data
    if run is None and pair.stored:
        st.link_button("Open in Probe", f"/?example={pair.stored}", icon=":material/science:")
    if run and st.button("Open in Probe", icon=":material/science:", key=f"audit-probe-{key}"):
        open_in_probe(run.sources[pair.source], run.variants[pair.source, pair.kind])
