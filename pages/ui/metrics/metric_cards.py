"""Metric cards, and the memory that loaded models take."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.metric import METRICS, Metric
from core.metric_catalog import MetricRow, format_direction, format_range
from core.models.locations import ModelState, ModelStatus
from core.models.pool import ModelPool
from core.types import Checkpoint, EndpointModel
from pages.ui.metric_choice import add_to_bench, has_settings, settings_form
from pages.ui.metrics.endpoint_list import metrics_state
from pages.ui.metrics.model_rows import endpoint_row, format_bytes, model_badge, model_row
from pages.ui.metrics.setup_panel import setup_panel
from pages.ui.notices import leave_notice, repeat_notices

_IN_PROGRESS = (ModelStatus.LOADING, ModelStatus.DOWNLOADING)
_LOOK_S = 0.2


def memory_bar(pool: ModelPool) -> None:
    """Device, and how much of the memory for models is in use."""
    used = sum(state.nbytes for state in pool.states().values())
    share = min(1.0, used / pool.budget_bytes)
    st.progress(share, f"{format_bytes(used)} of {format_bytes(pool.budget_bytes)} for models in use on {pool.device}")


def metric_card(line: MetricRow, pool: ModelPool) -> None:
    """What the metric measures, its source, range, direction and needs; its model can be loaded and unloaded here."""
    card = METRICS.get(line.name).card
    models = METRICS.get(line.name)().checkpoints()
    with st.container(border=True, height="stretch", key=f"card-{line.name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{line.title}**")
            st.space("stretch")
            model_badge(line, models, pool)
        st.write(line.measures)
        st.markdown(f"[{line.paper}]({line.url})")
        st.markdown(f"Range **{format_range(line.low, line.high)}**, {format_direction(line.direction)}")
        _settings_popover(line.name)
        if models:
            setup_panel(METRICS.get(line.name)(), pool)
        if line.differs:
            st.markdown(f":gray[{line.differs}]")
        for model in models:
            if isinstance(model, EndpointModel):
                endpoint_row(line)
            else:
                model_row(model, pool, card.download_mb, line.name)


def other_models(pool: ModelPool) -> None:
    """The models of metrics with other settings, which have no card of their own."""
    carded = {checkpoint for plugin in METRICS for checkpoint in plugin().checkpoints()}
    others = [checkpoint for checkpoint in pool.states() if checkpoint not in carded]
    if not others:
        return
    st.subheader("With other settings")
    with st.container(border=True, key="other-models"):
        for checkpoint in others:
            model_row(checkpoint, pool, 0, checkpoint.source)


def follow_models(pool: ModelPool, drawn: Mapping[Checkpoint, ModelState]) -> None:
    """Keep the run open while a model is on its way, and draw the page again when it is no longer as drawn."""
    while pool.states() != drawn or any(state.status in _IN_PROGRESS for state in drawn.values()):
        if pool.wait_for_change(drawn, _LOOK_S):
            repeat_notices()
            st.rerun()
        metrics_state()  # a read of session state lets a click end this run


def _settings_popover(name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"On the command line `{name}`")
        st.space("stretch")
        if not has_settings(name):
            return
        popover = st.popover("With other settings…", key=f"settings-{name}", on_change="rerun")
        if popover.open:  # forty forms would slow the page down
            with popover:
                settings_form(name, _add_to_bench_with_notice)


def _add_to_bench_with_notice(metric: Metric) -> None:
    add_to_bench(metric)
    leave_notice(f"{metric.spec} is on the bench of Probe.")
