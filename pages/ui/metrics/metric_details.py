"""One metric that was opened: what it measures, what is known of it, what it needs, and a form for other settings."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.assessment import CatalogRow, format_contexts, format_direction, format_range
from core.errors import Problem, attempt
from core.model_reference import Checkpoint, EndpointModel, local_checkpoints
from core.models import CODE_RUNNING_KINDS, ModelPool, ModelStatus, state_on_disk
from core.registry import settings_of
from core.scoring import METRICS, Metric, ReplaceableWeights
from core.text import format_languages
from pages.ui.metrics.add_metric import saved_metric_actions
from pages.ui.metrics.endpoint_setup import endpoint_setup
from pages.ui.metrics.metric_evidence import metric_evidence
from pages.ui.metrics.metric_list import open_metric
from pages.ui.metrics.model_rows import endpoint_row, model_badge, model_row
from pages.ui.metrics.setup_panel import setup_panel
from pages.ui.probe.metric_choice import add_to_bench, has_settings, settings_form
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.prompt_forms import prompt_links


def metric_details(row: CatalogRow, pool: ModelPool) -> None:
    """Everything about the metric, with the way back to the list."""
    metric, card = METRICS.get(row.name)(), row.card
    st.button(
        "All metrics",
        key="all-metrics",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=open_metric,
        args=("",),
    )
    with st.container(key=f"metric-{row.name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(card.title, width="content")
            model_badge(row, metric.checkpoints(), pool)

        st.markdown(
            f"{card.measures} Range **{format_range(card.low, card.high)}**, {format_direction(card.direction)}."
        )
        source = f"[{card.paper}]({card.url})" if card.url else escape_markdown(card.paper)
        st.markdown(" · ".join(filter(None, [source, f"on the command line `{row.name}`"])))
        other = (
            " Of weights for others the setting languages says which." if isinstance(metric, ReplaceableWeights) else ""
        )
        st.caption(f"{format_languages(card.languages)}{other}")
        st.caption(format_contexts(card.contexts))
        if card.differs:
            st.caption(escape_markdown(card.differs))

        about_column, setup_column = st.columns(2, gap="large")
        with about_column:
            metric_evidence(row.name)
        with setup_column:
            models = metric.checkpoints()
            if models:
                setup_panel(metric, pool)
                for model in models:
                    if isinstance(model, EndpointModel):
                        endpoint_row(row)
                    elif isinstance(model, Checkpoint):
                        model_row(model, pool, metric.card.download_mb, row.name)
                weights_folder(row.name, _add_with_notice)
                if any(isinstance(model, EndpointModel) for model in models):
                    endpoint_setup(is_first=False)
            else:
                st.markdown("**Set up**")
                st.caption("Nothing: it asks no model.")
            prompt_links(row.name)
            if has_settings(row.name):
                st.markdown("**Settings**")
                settings_form(row.name, _add_with_notice)
            saved_metric_actions(row.name)


def _add_with_notice(metric: Metric) -> None:
    add_to_bench(metric)
    leave_notice(f"{metric.spec} is on the bench of Probe.")


def weights_folder(name: str, on_add: Callable[[Metric], None]) -> None:
    """A field for each place of weights that the metric of that name has; nothing for one that has none."""
    typed = {}
    for setting in weight_settings(name):
        label = "Weights on this machine" if setting == "checkpoint" else f"Weights on this machine: {setting}"
        typed[setting] = st.text_input(
            label,
            key=f"weights-{name}-{setting}",
            placeholder="/data/models/…",
            help="A folder with config.json, weights and tokenizer. Press Enter to check it.",
        ).strip()
    folders = {setting: folder for setting, folder in typed.items() if folder}
    if not folders:
        return
    metric = attempt(lambda: METRICS.build(name, folders))
    problem = metric.error if isinstance(metric, Problem) else weights_problem(metric)
    if isinstance(metric, Problem) or problem:
        st.error(escape_message(problem), icon=":material/folder_off:")
        return
    st.success("Every file that this metric reads is here.", icon=":material/folder:")
    st.code(metric.spec, language=None, wrap_lines=True)
    st.button("Add with these weights", key=f"add-weights-{name}", on_click=on_add, args=(metric,))


def weight_settings(name: str) -> list[str]:
    """The settings that name where weights are, in the order in which the metric asks its models."""
    metric = METRICS.get(name)
    named = [checkpoint.setting for checkpoint in local_checkpoints(metric().checkpoints())]
    return [setting for setting in dict.fromkeys(named) if setting in settings_of(metric)]


def weights_problem(metric: Metric) -> str:
    """Reason why the weights cannot be loaded from the disk and what to do; empty where they can."""
    for checkpoint in local_checkpoints(metric.checkpoints()):
        if checkpoint.kind in CODE_RUNNING_KINDS:
            return "These weights bring code of their own: set their folder below, under Settings."
        state = state_on_disk(checkpoint)
        if state.status is not ModelStatus.COLD:
            return state.message
    return ""
