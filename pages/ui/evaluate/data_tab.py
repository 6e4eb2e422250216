"""The data behind the tables: what was imported, how to import more, and how to score it with our metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from annotations.exchange.samples import format_description, load_description
from annotations.store.records import CAMPAIGN_PREFIX
from core.assessment import default_metrics
from core.base import BackgroundTask
from core.data import format_dataset
from core.errors import TouchstoneError
from core.evaluation import missing_features
from core.results import Cases
from core.scoring import METRICS, EmbeddedWordSupport, is_surface, metric_title
from core.types import PRECOMPUTED
from pages.server import services
from pages.server.job_work import dataset_scorings, score_dataset
from pages.server.jobs import BackgroundJob
from pages.ui.evaluate.dataset_choice import EvaluationChoice, evaluate_state
from pages.ui.probe.metric_choice import bench_specs_with_settings
from pages.ui.results.copy_popover import copy_table
from pages.ui.shared.background_results import polled, progress_bar, redraw
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.page_list import JUDGE_PARAMETER
from pages.ui.shared.session_user import job_person

_LOOK_S = 1.0


def scores_table(cases: Cases) -> None:
    """The metrics that have scores of the chosen datasets, with what made these scores."""
    import pandas as pd

    if not cases.all_columns:
        return
    st.subheader(f"Scores of {len(cases.samples):,} summaries")
    frame = pd.DataFrame(
        {
            "metric": metric_title(column.name),
            "scores": int(np.sum(~np.isnan(column.values))),
            "failures": column.failed,
            "higher or lower is more consistent": column.direction,
            "name": column.name,
            "signature": column.signature or "released with the dataset",
        }
        for column in cases.all_columns
    )
    st.dataframe(frame, hide_index=True, alt="Metrics with scores")
    copy_table("Metrics with scores", frame, "evaluate-scores")


def label_provenance(datasets: Sequence[str]) -> None:
    """Show how the labels of the chosen campaigns came about."""
    for name in datasets:
        if name.startswith(CAMPAIGN_PREFIX):
            st.subheader(escape_markdown(name))
            st.write(escape_markdown(" ".join(format_description(load_description(services.store(), name)))))


def score_form(datasets: Sequence[str]) -> None:
    """Choose metrics and score a dataset with them, in the background."""
    addressed = [spec for spec in [st.query_params.get(JUDGE_PARAMETER, "")] if spec]
    names = [*(plugin.name for plugin in METRICS), *bench_specs_with_settings()]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = st.selectbox(
            "Score", list(datasets), key="evaluate-score-dataset", format_func=format_dataset, width=260
        )
        specs = st.multiselect(
            "with our metrics",
            [*names, *(spec for spec in addressed if spec not in names)],
            # that of the address, those of no model, which take no time, and the one that was trained to tell errors; statistics of the
            # surface only when they are chosen
            default=[
                *addressed,
                *(
                    line.name
                    for line in default_metrics(services.engine().pool)
                    if (not line.checkpoints or line.name == EmbeddedWordSupport.name)
                    and line.name not in addressed
                    and not is_surface(line.name)
                ),
            ],
            key="evaluate-score-metrics",
            format_func=metric_title,
            accept_new_options=True,
        )
        now = dataset_scorings().get(dataset)
        # no callback: it would be called with the choices of the run before, when somebody chooses and presses quickly
        pressed = st.button(
            "Score",
            icon=":material/play_arrow:",
            key="evaluate-score",
            disabled=services.settings().demo or not specs or bool(now and now.running),
        )
    if pressed:
        start_scoring(dataset, specs)
        st.rerun()
    show_scoring(dataset)


def show_scoring(dataset: str) -> None:
    """Show the progress of the scoring of a dataset."""
    if now := dataset_scorings().get(dataset):
        _scoring_progress(dataset, now)


@polled(_LOOK_S)
def _scoring_progress(dataset: str, now: BackgroundTask[bool]) -> None:
    if now.running:
        progress_bar(now.progress, lambda name: dataset_scorings()[name].cancel(), dataset)
        return
    if now.error:
        st.error(escape_message(now.error), icon=":material/error:")
    finished = evaluate_state().finished_scorings
    if now.results and finished.get(dataset) is not now:
        finished[dataset] = now
        redraw()
    st.caption(f"{len(now.results)} scores saved, {sum(now.results)} of them failures with a reason")


def scorings_under_way(datasets: Sequence[str]) -> None:
    """Say of each dataset that is being scored that its figures will change; at the end the page is drawn again once."""
    for name in datasets:
        if (now := dataset_scorings().get(name)) and now.running:
            _under_way_line(name, now)


@polled(_LOOK_S)
def _under_way_line(dataset: str, now: BackgroundTask[bool]) -> None:
    if not now.running:
        redraw()
    st.caption(
        f":material/hourglass_top: Scores of {escape_markdown(format_dataset(dataset))} are under way "
        f"({escape_markdown(str(now.progress))}): the figures are of those that are here, and will change."
    )


def start_scoring(dataset: str, specs: Sequence[str]) -> None:
    """Begin to score a dataset in the background."""
    settings = {"dataset": dataset, "metrics": [*specs]}
    query = {"dataset": dataset, "tab": "Data"}
    job = BackgroundJob(
        f"scoring {dataset}", "scoring", format_dataset(dataset), "evaluate", query, settings, job_person()
    )
    try:
        score_dataset(job)
    except TouchstoneError as error:
        leave_notice(str(error))


def offer_features(choice: EvaluationChoice) -> None:
    """Offer to score the imported datasets with the shallow features that are missing, and show how far that is."""
    missing = missing_features(choice.cases)
    if not missing:
        return
    imported = [name for name in choice.datasets if name != PRECOMPUTED]  # which has no place for more scores
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escape_markdown(f"Not scored or not chosen: {', '.join(map(metric_title, missing))}."))
        for name in imported:
            label = escape_markdown(f"Score {name} with them")
            st.button(
                label, key=f"surface-{name}", on_click=start_scoring, args=(name, missing), icon=":material/play_arrow:"
            )
    for name in imported:
        show_scoring(name)
