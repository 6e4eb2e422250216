"""The form that begins a window sweep of the pairs and variants of a run, which becomes a run of its own."""

from __future__ import annotations

import streamlit as st

from core.errors import TouchstoneError
from core.evaluation import WINDOWS, is_retrieval_metric, window_families, window_run
from core.registry import settings_of
from core.results import StressRun
from core.scoring import METRICS
from pages.ui.results.run_choice import StressState, begin_run, open_run, show_error, stress_state
from pages.ui.shared.grouped_views import enter_view


def sweep_form(run: StressRun) -> None:
    """The metrics to sweep, and a button that begins the sweep; folded away below the figures of a sweep."""
    with st.expander("Sweep the windows of metrics", expanded=not window_families(run.plan.metrics)):
        st.caption(
            "A sweep scores the same pairs and variants again, each sentence against the passages closest to it, with "
            f"{WINDOWS[0]} to {WINDOWS[-1]} sentences around each passage. It becomes a run of its own. A metric that does not "
            "retrieve is put inside `retrieve`: the three closest sentences by a packaged encoder, the best passage, the mean "
            "over the sentences of the summary."
        )
        specs = list(run.plan.metrics)
        texts = len(run.sources) + sum(variant.summary is not None for variant in run.variants.values())
        with st.container(horizontal=True, vertical_alignment="bottom"):
            with_retrieval = [spec for spec in specs if is_retrieval_metric(METRICS.parse(spec))]
            default = settings_of(METRICS.get("retrieve"))["metric"].default
            metrics = st.multiselect(
                "Metrics to sweep",
                specs,
                default=with_retrieval or [spec for spec in specs if spec == default] or specs[:1],
                key="sweep-metrics",
                persist_state="page",
                accept_new_options=True,
                width=520,
                help="A metric of this run, or another name with its settings: type it and press Enter.",
            )
            st.text_input(
                "Name of the sweep",
                f"{run.plan.name}, windows",
                key=StressState.sweep_name.key,
                persist_state="page",
                width=320,
            )
            # no callback: it would be called with the choice of the run before, when somebody chooses and presses quickly
            pressed = st.button(
                f"Sweep {len(WINDOWS)} windows × {len(metrics)} metric{'' if len(metrics) == 1 else 's'} "
                f"({texts * len(WINDOWS) * len(metrics)} scores)",
                icon=":material/play_arrow:",
                key="sweep-go",
                disabled=not metrics,
            )
        if pressed:
            try:
                open_run(begin_run(window_run(run, map(METRICS.parse, metrics), stress_state().sweep_name)))
                enter_view("stress", "")  # the windows come first there
            except TouchstoneError as error:
                stress_state().sweep_error = str(error)
            st.rerun()
        show_error(stress_state().sweep_error)
        stress_state().sweep_error = ""
