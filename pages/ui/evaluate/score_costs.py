"""The costs of a combination's members measured: seconds for a score on this machine, put into the fields of the form."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import monotonic

import streamlit as st

from annotations.exchange.samples import load_texts
from core.errors import Problem, attempt
from core.evaluation import Combine
from core.model_reference import asks_endpoint
from core.registry import split_pieces
from core.scoring import METRICS, TIMED_EXAMPLES, metric_title, score_seconds
from pages.server import services
from pages.ui.evaluate.dataset_choice import CostMeasuring, EvaluationChoice, evaluate_state
from pages.ui.results.study_tab import address_study, addressed_study
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown


def measure_costs(choice: EvaluationChoice) -> None:
    """A button that measures the members and fills “Costs of a score”, and which of them it leaves to the person."""
    state, names = evaluate_state(), Combine().choices(choice.data)["members"]
    released = {column.name for column in choice.cases.all_columns if column.released}
    parsed = {name: attempt(partial(METRICS.parse, name)) for name in names if name not in released}
    here = [
        name
        for name, metric in parsed.items()
        if not isinstance(metric, Problem) and not asks_endpoint(metric.checkpoints())
    ]

    def begin() -> None:
        """Start measuring the selected members, or all where none is selected."""
        addressed = split_pieces(addressed_study(Combine).members, "+")
        members = tuple(name for name in here if not addressed or name in addressed)
        evaluate_state().measuring = CostMeasuring(members, choice.datasets, monotonic())

    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Measure costs",
            icon=":material/straighten:",
            key="measure-costs",
            help=f"Seconds of each member for a score on this machine, over {TIMED_EXAMPLES} of these summaries, as costs of a score.",
            disabled=services.settings().demo or not here,
            on_click=begin,
        )
        if others := [metric_title(name) for name in names if name not in here]:
            st.markdown(
                escape_markdown(
                    f"Not measured, as they ask an endpoint or cannot be computed here: {', '.join(others)}. Type their seconds."
                )
            )
    if state.measuring is None:
        return
    measuring, store, settings = state.measuring, services.store(), services.settings()

    def measure() -> dict[str, float]:
        """Seconds per score, by name of the column."""
        texts = [text for dataset in measuring.datasets for text in load_texts(store, dataset)]
        metrics = {name: METRICS.parse(name) for name in measuring.members}
        measured = score_seconds(settings, list(metrics.values()), texts)
        return {name: measured[metric.spec] for name, metric in metrics.items()}

    seconds = background_result("Measuring seconds for a score…", measuring, measure)
    if seconds is None:
        return
    address_study(
        replace(addressed_study(Combine), costs=",".join(f"{name}={cost:g}" for name, cost in seconds.items()))
    )
    state.measuring = None
    state.costs_measured += 1  # another form: the fields of the one before keep what a person typed
