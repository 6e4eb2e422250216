"""What a metric still needs, on its card: what is missing, the command or button that gets it, and what is here already."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.metric import Metric
from core.metric_setup import SetupStep, format_megabytes, setup_steps
from core.models.pool import ModelPool
from core.types import Checkpoint
from pages.ui.markup import escape_markdown


def setup_panel(metric: Metric, pool: ModelPool) -> None:
    """A popover with every need; one command is shown once, however many needs it serves."""
    popover = st.popover("Set up…", icon=":material/build:", key=f"setup-{metric.name}", on_change="rerun")
    if not popover.open:  # the needs of forty metrics would slow the page down
        return
    with popover:
        steps = setup_steps(metric, pool)
        _summary(steps)
        shown: set[str] = set()
        for step in steps:
            _setup_step(step, shown)
        _download_button(metric, [step.download for step in steps if step.download], pool)
        if metric.card.licence:
            st.caption(escape_markdown(f"Licence: {metric.card.licence}"))
        if any(step.command for step in steps):
            st.button("Check again", key=f"check-{metric.name}", icon=":material/refresh:")


def _summary(steps: Sequence[SetupStep]) -> None:
    missing = [step for step in steps if not step.done]
    if missing:
        st.markdown(
            f"**{len(missing)} of {len(steps)} needs are missing.** Run the commands in the folder of Touchstone."
        )
    else:
        st.markdown("**Everything is here.**")


def _setup_step(step: SetupStep, shown: set[str]) -> None:
    icon = ":material/check_circle:" if step.done else ":material/radio_button_unchecked:"
    st.markdown(f"{icon} {step.need} **{escape_markdown(step.name)}** {escape_markdown(step.message)}")
    if step.command and step.command not in shown:
        shown.add(step.command)
        st.code(step.command, language="bash", wrap_lines=True)


def _download_button(metric: Metric, missing: Sequence[Checkpoint], pool: ModelPool) -> None:
    if missing:
        label = f"Download {format_megabytes(metric.card.download_mb)}"
        st.button(
            label, key=f"download-{metric.name}", icon=":material/download:", on_click=_fetch, args=(missing, pool)
        )


def _fetch(missing: Sequence[Checkpoint], pool: ModelPool) -> None:
    for checkpoint in dict.fromkeys(missing):
        pool.fetch(checkpoint)
