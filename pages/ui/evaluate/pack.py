"""The paper pack: one press writes everything that a paper has to show and to say about these tables."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from annotations.datasets import DatasetRow
from core.meta.appendix import correlations_csv, correlations_markdown, explained_csv, explained_markdown
from core.meta.correlations import Correlation, correlations
from core.meta.explained import Explainer, explained
from core.meta.figures import IN_UNITS, MEASURES, PUBLISHED, Row, draws, rows
from core.meta.pack import as_csv, latex, markdown, metrics_card
from pages.ui import services
from pages.ui.evaluate.card import commands, data_card, readme
from pages.ui.evaluate.charts import curves, dots, heat_map, roc
from pages.ui.evaluate.choice import Chosen
from pages.ui.evaluate.tables import TITLES, told_of

_VECTORS = {"toImageButtonOptions": {"format": "svg"}}


@dataclass(frozen=True, slots=True)
class Contents:
    """What is written: every figure, the correlations with one aspect where people rated any, and explainers."""

    rows: Sequence[Row]
    correlated: Sequence[Correlation]
    explainers: Sequence[Explainer]


def contents(chosen: Chosen, aspect: str) -> Contents:
    """Compute all of it; an empty aspect stands for none. It touches nothing of the page."""
    cases, drawn = chosen.cases, draws(chosen.cases, chosen.resamples)
    return Contents(
        list(rows(cases, chosen.parts, drawn, tuple(MEASURES))),
        list(correlations(cases, aspect, drawn)) if aspect else [],
        list(explained(cases, drawn)),
    )


def paper_pack(chosen: Chosen, found: Contents) -> None:
    """The button, and a word on what comes."""
    sets = [row for row in services.store().datasets() if row.name in chosen.datasets]
    st.write(
        "One archive with the tables (Markdown, LaTeX, CSV), the figures as a page that needs no network, a data card, the "
        "metrics with their signatures and versions, and the command that gives the tables again."
    )
    st.download_button(
        "Download the paper pack",
        lambda: packed(chosen, found, sets),
        "touchstone-paper-pack.zip",
        mime="application/zip",
        on_click="ignore",
        icon=":material/folder_zip:",
        type="primary",
    )
    st.code(commands(chosen, sets), language="bash", wrap_lines=True)
    st.caption("In figures.html, a camera button on each plot saves it as SVG.")


def packed(chosen: Chosen, found: Contents, sets: Sequence[DatasetRow]) -> bytes:
    """The archive."""
    files = {
        "README.md": readme(chosen, sets),
        "data-card.md": data_card(chosen, sets),
        "metrics.md": metrics_card(chosen.cases),
        "figures.html": figures_html(chosen, found.rows),
        **_tables(found),
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, text in files.items():
            pack.writestr(name, text)
    return archive.getvalue()


def _tables(found: Contents) -> dict[str, str]:
    files = {"tables/all.csv": as_csv(found.rows)}
    for name in found.rows[0].figures:
        if all(row.figures[name].estimate.value is None for row in found.rows):
            continue  # all.csv says why
        files[f"tables/{name}.md"] = markdown(found.rows, name)
        files[f"tables/{name}.tex"] = latex(found.rows, name, _caption(name))
    if found.correlated:
        files["tables/correlations.md"] = correlations_markdown(found.correlated)
        files["tables/correlations.csv"] = correlations_csv(found.correlated)
    if found.explainers:
        files["tables/explanations.md"] = explained_markdown(found.explainers)
        files["tables/explanations.csv"] = explained_csv(found.explainers)
    return files


def _caption(name: str) -> str:
    return f"{TITLES[name]}{', in units of each metric' if name in IN_UNITS else ' in percent'}."


def figures_html(chosen: Chosen, rows: Sequence[Row]) -> str:
    """One page with the heat-map, the curves and the dots; its script is within."""
    part = chosen.parts[0]
    figures = [
        *(heat_map(rows, name) for name in told_of(chosen.cases, PUBLISHED)),
        *(dots(rows, name, part.name) for name in told_of(chosen.cases, ("consistency", "auc"))),
        roc(curves(chosen.cases, part), part.name),
    ]
    plots = [
        figure.to_html(full_html=False, include_plotlyjs=place == 0, config=_VECTORS)
        for place, figure in enumerate(figures)
    ]
    title = html.escape(" + ".join(chosen.datasets))
    return f'<!doctype html><meta charset="utf-8"><title>{title}</title>{"".join(plots)}'
