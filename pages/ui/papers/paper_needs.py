"""Metrics, data and endpoint that a paper needs, and the cost."""

from __future__ import annotations

import streamlit as st

from core.assessment import RELEASED_FOLDER, Paper, ReleasedData, format_megabytes, format_money, paper_needs
from core.scoring import metric_title
from pages.server import services
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown


def needs_view(paper: Paper) -> None:
    """Parts that are here and parts that are missing, with the licence of each weight and the price of an endpoint."""
    with st.expander("Metrics, weights, data and endpoint that the paper needs", icon=":material/inventory_2:"):
        data = ReleasedData(RELEASED_FOLDER, services.engine())
        needs = background_result(
            "Looking what is here…", ("paper-needs", paper.name), lambda: paper_needs(paper, data)
        )
        if needs is None:
            return
        rows = [
            {
                "metric": paper.metric_rows().get(need.spec) or metric_title(need.spec),
                "in paper mode": need.spec,
                "state": need.state,
                "weights": format_megabytes(need.megabytes) if need.megabytes else "none",
                "licence": need.licence,
                "hours on a large GPU": None if need.hours is None else round(need.hours, 2),
            }
            for need in needs.metrics
        ]
        if rows:
            st.dataframe(rows, hide_index=True, height="auto", alt="Metrics of the paper", placeholder="–")
            st.page_link("views/metrics.py", label="Load weights under Metrics", icon=":material/straighten:")
        lines = [f"NLI check {spec}: {state}" for spec, state in needs.checks]
        lines += [f"Missing data, {file.place}: {file.get}" for file in needs.missing]
        lines += [f"Data here: {file.place}" for file in needs.here]
        if needs.work.questions:
            lines.append(
                f"Endpoint, for all printed tables: {needs.work.questions:,} questions, {needs.work.read:,} tokens read, "
                f"{needs.work.written:,} written: {format_money(needs.work)}"
            )
        st.caption("  \n".join(escape_markdown(line) for line in lines))
