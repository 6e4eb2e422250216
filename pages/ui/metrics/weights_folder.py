"""Folders of this machine as the weights of a metric: what was typed is checked at once, and what is wrong stands below it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import Problem, attempt
from core.metric import METRICS, Metric
from core.model_reference import local_checkpoints
from core.models.files import CODE_RUNNING_KINDS
from core.models.locations import ModelStatus, state_on_disk
from core.registry import settings_of
from pages.ui.markup import escape_markdown


def weights_folder(name: str, on_add: Callable[[Metric], None]) -> None:
    """A field for each place of weights that the metric of that name has; nothing for one that has none."""
    places = weight_settings(name)
    typed = {setting: _folder_field(name, setting) for setting in places}
    chosen = {setting: folder for setting, folder in typed.items() if folder}
    if not chosen:
        return
    metric = attempt(lambda: METRICS.build(name, chosen))
    problem = metric.message if isinstance(metric, Problem) else weights_problem(metric)
    if isinstance(metric, Problem) or problem:
        st.error(escape_markdown(problem), icon=":material/folder_off:")
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
    """What keeps the weights from being loaded off the disk and what to do; empty where nothing does."""
    for checkpoint in local_checkpoints(metric.checkpoints()):
        if checkpoint.kind in CODE_RUNNING_KINDS:
            return "These weights bring code of their own: set their folder below, under Settings."
        state = state_on_disk(checkpoint)
        if state.status is not ModelStatus.COLD:
            return state.message
    return ""


def _folder_field(name: str, setting: str) -> str:
    label = "Weights on this machine" if setting == "checkpoint" else f"Weights on this machine: {setting}"
    return st.text_input(
        label,
        key=f"weights-{name}-{setting}",
        placeholder="/data/models/…",
        help="A folder with config.json, weights and tokenizer. Press Enter to check it.",
    ).strip()
