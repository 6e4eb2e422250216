"""The metrics to pick from: a search, filters, and a compact card for each, those that score at once first."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from textwrap import shorten

import streamlit as st

from core.assessment import (
    Availability,
    CatalogRow,
    MetricFilter,
    Speed,
    bundled_audit,
    closest_metrics,
    count_verdicts,
    format_megabytes,
    model_megabytes,
    ready_first,
)
from core.models import ModelPool
from core.scoring import METRICS
from pages.ui.metrics.model_rows import model_badge
from pages.ui.shared.markup import escape_label, escape_markdown

_MEMORY_MB = {"up to 0.6 GB": 600, "up to 2 GB": 2000}
_FITS = "fits on this machine"
_OPENED = "metric"  # in the address: a reload and a link open the same metric
_CARD_PX = 300
_CARD_CHARACTERS = 120  # three lines of the narrowest card, so that a sentence is rarely cut


def opened_metric() -> str | None:
    """The metric that the address names; None for the list."""
    name = st.query_params.get(_OPENED)
    return name if name in {plugin.name for plugin in METRICS} else None


def open_metric(name: str) -> None:
    """Let the address name a metric; an empty name leads back to the list."""
    st.query_params.from_dict({_OPENED: name} if name else {})


def metric_list(rows: Sequence[CatalogRow], pool: ModelPool) -> None:
    """The filters, and the cards of what they leave."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(
            "Search", key="metric-search", placeholder="name, paper, what it measures", width=260, persist_state="page"
        )
        availability = _filter("State", typing.get_args(Availability))
        family = _filter("Family", list(dict.fromkeys(row.card.family for row in rows)))
        speed = _filter("Speed", typing.get_args(Speed))
        memory = _filter("Memory", [*_MEMORY_MB, _FITS])
    limit = max(pool.budgets.values()) // 10**6 if memory == _FITS else _MEMORY_MB.get(memory or "")
    criteria = MetricFilter(
        words,
        typing.cast("Availability | None", availability),
        family,
        typing.cast("Speed | None", speed),
        limit,
    )

    accepted = ready_first([row for row in rows if criteria.accepts(row)])
    st.caption(f"{len(accepted)} of {len(rows)} metrics. Press a name for its settings, set-up, noise and blind spots.")
    if not accepted:
        near = closest_metrics(rows, criteria.words)
        hint = f" Did you mean {' or '.join(near)}?" if near else " Take a filter away."
        st.info(escape_markdown(f"No metric is like that.{hint}"), icon=":material/search_off:")
    grid = st.grid("auto", min_column_width=_CARD_PX, gap="small")
    for row in accepted:
        with grid.container(border=True, height="stretch", key=f"card-{row.name}", gap="xsmall"):
            st.button(
                f"**{escape_label(row.card.title)}**",
                key=f"open-{row.name}",
                type="tertiary",
                icon=":material/chevron_right:",
                on_click=open_metric,
                args=(row.name,),
            )
            st.caption(escape_markdown(shorten(row.card.measures, _CARD_CHARACTERS, placeholder=" …")))
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                model_badge(row, METRICS.get(row.name)().checkpoints(), pool)

                size = model_megabytes(row)
                st.caption(
                    " · ".join(filter(None, [row.card.family, format_megabytes(size) if size else ""])), width="content"
                )
            if audit := bundled_audit(row.name):
                st.caption(f"Audit: {count_verdicts(audit.findings)}")


def _filter(label: str, choices: Sequence[str]) -> str | None:
    choice: str | None = st.selectbox(
        label,
        choices,
        index=None,
        placeholder="any",
        key=f"metric-filter-{label.lower()}",
        width=170,
        persist_state="page",
    )
    return choice
