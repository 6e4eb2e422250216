"""Form of an audit: metrics, data, and the audit while it goes on; the address names it, so that a reload finds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from uuid import uuid4

import streamlit as st

from core.assessment import (
    AuditReport,
    AuditSource,
    AuditTask,
    Level,
    default_metrics,
    estimate_line,
    list_metrics,
    ordered_questions,
)
from core.data import format_dataset
from core.edits import STANDARD_BATTERY
from core.errors import Problem, TouchstoneError, attempt
from core.model_reference import asks_endpoint
from core.models import format_estimate, list_endpoints
from core.scoring import METRICS, metric_title, metric_titles
from core.stats import format_count
from core.types import PRECOMPUTED
from pages.server import services
from pages.server.job_work import audit_work, audits, begin_audit
from pages.server.jobs import BackgroundJob
from pages.sources.thresholds import kept_thresholds
from pages.ui.evaluate.dataset_choice import known_datasets, read_cases
from pages.ui.probe.metric_choice import bench_specs_with_settings
from pages.ui.shared.background_results import background_result, progress_bar
from pages.ui.shared.battery_choice import battery_choice
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.newer_version import newer_version_line
from pages.ui.shared.prompt_forms import read_prompts
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import job_person

_MOST_METRICS = 4
_MOST_SUMMARIES = 100
_LOOK_S = 0.6
LEVEL_COLOURS: Mapping[Level, Literal["green", "orange", "red"]] = {
    Level.GOOD: "green",
    Level.WEAK: "orange",
    Level.FAILS: "red",
}
"""Colours of the verdicts."""
AUDIT_PARAMETER = "audit"
"""Parameter that names an audit in the address."""


_Choice = tuple[tuple[str, ...], tuple[str, ...], int, str]
"""Metrics, datasets, number of summaries to perturb, and battery."""


@dataclass(eq=False)
class AuditState:
    """State of the page: why an audit could not be begun, until it was shown, and the values of the form."""

    error: str = ""
    run_error: str = ""  # why the run of an audit could not be opened on Stress
    estimated: _Choice | None = None  # the last choice whose cost at endpoints was shown
    metrics = WidgetValue[Sequence[str]]("audit-metrics", ())
    datasets = WidgetValue[Sequence[str]]("audit-datasets", ())
    most = WidgetValue[int]("audit-most", _MOST_SUMMARIES)
    battery = WidgetValue[str]("audit-battery", STANDARD_BATTERY)
    thresholds = WidgetValue[Sequence[str]]("audit-thresholds", ())
    released = WidgetValue[Sequence[str]]("audit-released", ())
    shown = WidgetValue[str | None]("audit-shown", None)


def audit_state() -> AuditState:
    return page_state(AuditState)


def audit_in_address() -> AuditTask | None:
    """The audit that the address names; None where there is none of that name any more."""
    lock, by_id = audits()
    with lock:
        return by_id.get(st.query_params.get(AUDIT_PARAMETER, ""))


def missing_audit() -> None:
    """Say of an address that names an audit that is gone, where its figures are and how to have it again."""
    if AUDIT_PARAMETER not in st.query_params:
        return
    st.info(
        "The audit of this address is not open any more: reports stay until the server stops or many others follow. "
        "If it was finished, its figures are under History; for the whole report run it again.",
        icon=":material/info:",
    )


def audit_form() -> None:
    """Metrics, data, and how many summaries are perturbed."""
    rows = list_metrics(services.engine().pool)
    ready = [row for row in rows if row.state == "ready"]
    titles = {row.name: row.card.title for row in ready}
    # one that asks no model: the first audit of a visitor is there soon
    first = [row.name for row in default_metrics(services.engine().pool) if not row.checkpoints][:1]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.multiselect(
            "Metrics",
            [*titles, *bench_specs_with_settings()],
            default=first,
            key=AuditState.metrics.key,
            format_func=metric_title,
            max_selections=_MOST_METRICS,
            accept_new_options=True,
            help="Those that are ready. Type one with settings, as minicheck-roberta[checkpoint=FOLDER], and press Enter.",
        )
        st.multiselect(
            "Data",
            known_datasets(),
            default=[PRECOMPUTED],
            key=AuditState.datasets.key,
            format_func=format_dataset,
            placeholder="Choose a dataset",
        )
        with st.popover("Perturbations", icon=":material/tune:", key="audit-more"):
            st.number_input(
                "Summaries to perturb",
                min_value=1,
                max_value=100_000,
                value=_MOST_SUMMARIES,
                key=AuditState.most.key,
                width=180,
                help="At most so many, drawn by the seed 0; every labelled summary is scored in any case.",
            )
            battery_choice(AuditState.battery.key)
        st.button("Audit", type="primary", icon=":material/fact_check:", on_click=_begin)
    datasets = tuple(audit_state().datasets)
    cases = read_cases(datasets) if datasets else None
    names = [column.name for column in cases.all_columns if column.released] if cases else []
    if names:
        st.multiselect(
            "Scores released with the data",
            names,
            default=[],
            key=AuditState.released.of("-".join(datasets)).key,
            placeholder="None",
            help="They are audited as they are. Questions that need new scores, as those on perturbed texts, are not asked.",
        )
    _threshold_select()
    _cost_line()
    if problem := audit_state().error:
        st.error(escape_message(problem), icon=":material/error:")
    st.caption(
        "An audit scores the texts of the data, their perturbed variants, long documents, and some texts twice. Judges are asked "
        "further questions, for their card; what that costs at endpoints is estimated before."
    )


def _released() -> list[str]:
    return list(AuditState.released.of("-".join(audit_state().datasets)).get())


def _choice() -> _Choice:
    state = audit_state()
    return tuple(state.metrics), tuple(state.datasets), state.most, state.battery


def _cost_line() -> None:
    """Time that the audit will take, from a dozen of its pairs, and what it will cost where endpoints are asked."""
    choice = _choice()
    settings = attempt(_settings)
    if isinstance(settings, Problem) or not settings["metrics"]:
        return

    engine = services.engine()

    def estimate() -> str:
        work = audit_work(settings, engine)
        cost = ""
        if any(asks_endpoint(metric.checkpoints()) for metric in work.metrics):
            cost = format_estimate(engine.estimate(work.paid_conversations())) or (
                "All that endpoints are asked was asked before: it costs nothing"
            )
        return ". ".join(filter(None, [estimate_line(work), cost]))

    # endpoints and prompts may change at any time
    key = ("audit-cost", choice, tuple(_released()), str((attempt(list_endpoints), attempt(read_prompts))))
    line = background_result("Measuring a dozen pairs, to say how long it will take…", key, estimate)
    if line is not None:
        audit_state().estimated = choice
        st.caption(escape_markdown(f"{line}."))


def _threshold_select() -> None:
    """The saved thresholds, one for each metric at most; where none is saved, where to save one."""
    saved = kept_thresholds(services.store())
    if not saved:
        st.caption("A threshold of your own can be judged as well: save one on Evaluate, under Improve it.")
        return
    st.multiselect(
        "Saved thresholds",
        list(saved),
        default=[],
        key=AuditState.thresholds.key,
        format_func=lambda name: f"{name} ({metric_title(saved[name].metric)})",
        placeholder="None",
        help="Its false alarms and misses on the data, overall and by domain. Where none is chosen, the one that separates "
        "the labelled summaries best decides.",
    )


def _begin() -> None:
    """Start the audit of the form and let the address name it."""
    state, id = audit_state(), uuid4().hex[:12]
    try:
        begin_audit(_job(id))
    except TouchstoneError as error:
        state.error = str(error)
        return
    state.error = ""
    st.query_params.from_dict({AUDIT_PARAMETER: id})


def _job(id: str) -> BackgroundJob:
    """The audit of the form. Raises TouchstoneError for a choice that cannot be audited here."""
    settings = _settings()
    specs = settings["metrics"]
    paid = [spec for spec in specs if asks_endpoint(METRICS.parse(spec).checkpoints())]
    if paid and audit_state().estimated != _choice():
        raise TouchstoneError(
            f"{', '.join(paid)} asks an endpoint, and what that costs is not known yet. Press Audit again once it is shown."
        )
    of = ", ".join([*metric_titles(specs).values(), *_released()])
    title = f"{of} on {', '.join(map(format_dataset, settings['datasets']))}"
    return BackgroundJob(f"audit {id}", "audit", title, "audit", {AUDIT_PARAMETER: id}, settings, job_person())


def _settings() -> dict[str, Any]:
    """The form as settings of a job. Raises TouchstoneError where a metric or a dataset is missing."""
    state = audit_state()
    if not (state.metrics or _released()) or not state.datasets:
        raise TouchstoneError("Choose at least one metric and one dataset.")
    return {
        "metrics": list(state.metrics),
        "datasets": list(state.datasets),
        "most": state.most,
        "battery": state.battery,
        "thresholds": list(state.thresholds),
        "released": _released(),
    }


def audit_newer_version(newer: Mapping[str, str], key: str, again: AuditSource) -> None:
    """Offer an audit of an older version of a dataset again on the newest one; it is filled into the form and begun."""
    if newer:
        newer_version_line(newer, key, partial(begin_newer_audit, newer, again))


def begin_newer_audit(newer: Mapping[str, str], again: AuditSource) -> str:
    """Fill an audit into the form, on the newer versions of its datasets, and start it; its id, "" where the form has the error."""
    state = audit_state()
    of_bench = [name for name in again.audited if name.partition("[")[0] in METRICS.names()]
    state.metrics, state.battery = of_bench, again.battery
    state.datasets = list(dict.fromkeys(newer.get(name, name) for name in again.datasets))
    state.most, state.thresholds = again.most or state.most, list(again.thresholds)
    released = [name for name in again.audited if name not in of_bench]
    AuditState.released.of("-".join(state.datasets)).set(released)
    _begin()
    return "" if state.error else st.query_params[AUDIT_PARAMETER]


def follow_audit(opened: AuditTask) -> AuditReport | None:
    """Show the progress of the audit, with a button that stops it; return its report once it is there."""
    if opened.task.running:
        _progress(opened)
        return None
    if opened.task.error:
        st.error(escape_message(opened.task.error), icon=":material/error:")
    elif opened.report is None:
        st.info("This audit was stopped. What was scored is kept: begin it again to go on.", icon=":material/stop:")
    elif failed := opened.evidence and opened.evidence.unexpected:
        st.warning(
            f"{format_count(len(failed), 'score')} failed, and this audit is not kept. The first: {escape_message(failed[0])} "
            "Begin it again to try only these.",
            icon=":material/error:",
        )
    return opened.report


@st.fragment(run_every=_LOOK_S)
def _progress(opened: AuditTask) -> None:
    if not opened.task.running:
        st.rerun()
    progress_bar(opened.task.progress, opened.task.cancel)
    answer_tiles(opened)


def answer_tiles(opened: AuditTask) -> None:
    """A tile for each question of each metric: its verdict so far, or that it waits for scores."""
    answered = opened.answered
    for metric in opened.metrics:
        of_metric = answered.get(metric, {})
        with st.container(border=True):
            st.markdown(f"**{escape_markdown(metric_title(metric))}**")
            with st.container(horizontal=True, gap="small"):
                for question in ordered_questions():
                    answer = of_metric.get(question.name)
                    axis = escape_label(question.axis)
                    if answer:
                        st.badge(
                            f"{axis}: {answer.level}",
                            color=LEVEL_COLOURS.get(answer.level, "blue"),
                            help=answer.sentence,
                        )
                    else:
                        st.badge(axis, color="gray", icon=":material/hourglass_empty:")
    st.caption("Verdicts come as questions end; warnings that hang on several questions come with the whole report.")
