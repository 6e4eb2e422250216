"""Set-up that a metric still needs: what is missing, the command or button that gets it, and what is here already."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.assessment import PUBLISHED, compare_published, format_megabytes, setup_steps
from core.model_reference import Checkpoint
from core.models import ModelPool
from core.scoring import Metric
from pages.server import services
from pages.ui.metrics.endpoint_list import metrics_state
from pages.ui.shared.markup import escape_markdown, escape_message

_UNKNOWN_LICENCE = "not recorded here; read it on the pages of the weights before you rely on them."


def setup_panel(metric: Metric, pool: ModelPool) -> None:
    """Every need; one command is shown once, however many needs it serves."""
    st.markdown("**Set up**")
    with st.container(border=True, key=f"needs-{metric.name}"):
        steps = setup_steps(metric, pool)

        missing = [step for step in steps if not step.done]
        if missing:
            st.markdown(
                f"**{len(missing)} of {len(steps)} needs are missing.** Run the commands in the folder of Touchstone."
            )
        else:
            st.markdown("**Everything is here.**")

        shown: set[str] = set()
        for step in steps:
            icon = ":material/check_circle:" if step.done else ":material/radio_button_unchecked:"
            st.markdown(f"{icon} {step.need} **{escape_markdown(step.name)}** {escape_message(step.message)}")
            if step.command and step.command not in shown:
                shown.add(step.command)
                st.code(step.command, language=None, wrap_lines=True)  # its colours lack contrast

        downloads = [step.download for step in steps if step.download]
        if downloads:
            label = f"Download {format_megabytes(metric.card.download_mb)}"
            st.button(
                label,
                key=f"download-{metric.name}",
                icon=":material/download:",
                on_click=_fetch,
                args=(downloads, pool),
            )

        st.caption(escape_markdown(f"Licence: {metric.card.licence or _UNKNOWN_LICENCE}"))

        published = [score for score in PUBLISHED if score.metric == metric.name]
        if published:
            count = "the published score" if len(published) == 1 else f"{len(published)} published scores"
            comparisons = metrics_state().comparisons
            if st.button(f"Compare {count}", key=f"verify-{metric.name}", icon=":material/fact_check:"):
                with st.spinner("Scoring the authors' examples…"):
                    comparisons[metric.name] = list(compare_published(services.engine(), published))
            # kept: a model that was loaded for it draws the page again
            if metric.name in comparisons:
                rows = [
                    {
                        "summary": comparison.published.summary,
                        "published": comparison.published.value,
                        "ours": comparison.ours,
                        "difference": comparison.difference,
                        "tolerance": comparison.published.tolerance,
                        "agrees": None if comparison.ours is None else comparison.agrees,
                        "source": comparison.published.source,
                        "problem": comparison.error,
                    }
                    for comparison in comparisons[metric.name]
                ]
                st.dataframe(rows, hide_index=True)

        if any(step.command for step in steps):
            st.button("Check again", key=f"check-{metric.name}", icon=":material/refresh:")


def _fetch(missing: Sequence[Checkpoint], pool: ModelPool) -> None:
    for checkpoint in dict.fromkeys(missing):
        pool.fetch(checkpoint)
