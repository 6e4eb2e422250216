"""The paper pack: one press writes everything that a paper has to show and to say about these tables."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

import streamlit as st

from annotations.imported_datasets import DatasetRow, FileRow
from annotations.records import CAMPAIGN_PREFIX
from annotations.samples import format_description, load_description
from core.dataset import format_counts
from core.meta.explanation_scores import ExplainerScores, explainer_scores
from core.meta.measures import MEASURES, PAPER_MEASURES, UNIT_MEASURES, MetricRow, draw_resamples, metric_rows
from core.meta.paper_tables import (
    correlations_csv,
    correlations_markdown,
    explainers_csv,
    explainers_markdown,
    metrics_card,
    rows_csv,
    rows_latex,
    rows_markdown,
)
from core.meta.rating_correlation import metric_correlations
from core.settings import VERSION
from pages.ui import services
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.evaluate.tables_and_plots import (
    FIGURE_TITLES,
    available_figures,
    heat_map,
    interval_chart,
    roc_chart,
    roc_curves,
)


def data_card(chosen: EvaluationChoice, sets: Sequence[DatasetRow]) -> str:
    """Where the data came from, under which licence, and what it holds."""
    files = [file for row in sets for file in row.files]
    own = set(chosen.datasets) - {row.name for row in sets}
    sections = [*map(_file_section, files), *map(_own_section, sorted(own))]
    counts_line = (
        f"In these tables: {len(chosen.cases.samples)} summaries, {len(chosen.cases.pairs)} minimal pairs, "
        f"{chosen.cases.clusters} documents."
    )
    warnings = "".join(f"- {warning}\n" for warning in chosen.cases.warnings)
    return f"# Data\n\n{counts_line}\n\n{''.join(sections)}{warnings}"


def pack_readme(chosen: EvaluationChoice, sets: Sequence[DatasetRow]) -> str:
    """How the tables are to be read, and the commands that give them."""
    return (
        f"# {' + '.join(chosen.datasets)}\n\nMade by Touchstone {VERSION}. Figures are percentages in the Markdown and LaTeX "
        f"tables and shares in the CSV; intervals are those of {chosen.resamples:,} bootstrap resamples of whole documents "
        "(seed 0). Bold is the best of a slice; † is not significantly worse (paired bootstrap, Holm, p ≥ .05), ‡ was not tested. "
        f"Cases without a score are left out and counted.\n\n```\n{pack_commands(chosen, sets)}\n```\n"
    )


def pack_commands(chosen: EvaluationChoice, sets: Sequence[DatasetRow]) -> str:
    """What gives the same tables in an empty database: imports, our scores, the table."""
    imports = [
        f"python cli.py import {quote(file.importer)} {quote(file.file)} --name {quote(row.name)}"
        for row in sets
        for file in row.files
    ]
    specs = {score.metric for sample in chosen.cases.samples for score in sample.kept}
    options = " ".join(f"--metric {quote(spec)}" for spec in sorted(specs))
    scores = [f"python cli.py score-dataset {quote(name)} {options}" for name in chosen.datasets if options]
    return "\n".join([*imports, *scores, chosen.command])


def _own_section(name: str) -> str:
    labels = format_description(load_description(services.store(), name)) if name.startswith(CAMPAIGN_PREFIX) else []
    return f"## {name}\n\n{' '.join(['Kept and labelled with Touchstone.', *labels])}\n\n"


def _file_section(file: FileRow) -> str:
    release = f", {file.release}" if file.release else ""
    counts = "".join(f"- {line}\n" for line in format_counts(file.counts))
    return (
        f"## {file.dataset}\n\nFile `{file.file}` (SHA-256 `{file.sha256}`), read as {file.importer}{release} on "
        f"{file.created_at:%Y-%m-%d}. Licence: {file.licence or 'not stated'}.\n\n{counts}\n"
    )


_SVG_CONFIG = {"toImageButtonOptions": {"format": "svg"}}


@dataclass(frozen=True, slots=True)
class PackContents:
    """What is written: every figure, the correlations with one aspect where people rated any, and explainers."""

    rows: Sequence[MetricRow]
    correlated: Sequence[MetricRow]
    aspect: str
    explainers: Sequence[ExplainerScores]


def pack_contents(chosen: EvaluationChoice, aspect: str) -> PackContents:
    """Compute all of it; an empty aspect means none. It uses nothing of Streamlit."""
    cases, resamples = chosen.cases, draw_resamples(chosen.cases, chosen.resamples)
    return PackContents(
        list(metric_rows(cases, chosen.parts, resamples, tuple(MEASURES))),
        list(metric_correlations(cases, aspect, resamples)) if aspect else [],
        aspect,
        list(explainer_scores(cases, resamples)),
    )


def paper_pack(chosen: EvaluationChoice, found: PackContents) -> None:
    """The button, and what the archive holds."""
    sets = [row for row in services.store().datasets() if row.name in chosen.datasets]
    st.write(
        "One archive with the tables (Markdown, LaTeX, CSV), the figures as a page that needs no network, a data card, the "
        "metrics with their signatures and versions, and the command that gives the tables again."
    )
    st.download_button(
        "Download the paper pack",
        lambda: pack_archive(chosen, found, sets),
        "touchstone-paper-pack.zip",
        mime="application/zip",
        on_click="ignore",
        icon=":material/folder_zip:",
        type="primary",
    )
    st.code(pack_commands(chosen, sets), language="bash", wrap_lines=True)
    st.caption("In figures.html, a camera button on each plot saves it as SVG.")


def pack_archive(chosen: EvaluationChoice, found: PackContents, sets: Sequence[DatasetRow]) -> bytes:
    """The archive."""
    files = {
        "README.md": pack_readme(chosen, sets),
        "data-card.md": data_card(chosen, sets),
        "metrics.md": metrics_card(chosen.cases),
        "figures.html": figures_html(chosen, found.rows),
        **_table_files(found),
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, text in files.items():
            pack.writestr(name, text)
    return archive.getvalue()


def _table_files(found: PackContents) -> dict[str, str]:
    files = {"tables/all.csv": rows_csv(found.rows)}
    for name in found.rows[0].figures:
        if all(row.figures[name].estimate.value is None for row in found.rows):
            continue  # all.csv has the reason
        files[f"tables/{name}.md"] = rows_markdown(found.rows, name)
        files[f"tables/{name}.tex"] = rows_latex(found.rows, name, _table_caption(name))
    if found.correlated:
        files["tables/correlations.md"] = correlations_markdown(found.correlated, found.aspect)
        files["tables/correlations.csv"] = correlations_csv(found.correlated, found.aspect)
    if found.explainers:
        files["tables/explanations.md"] = explainers_markdown(found.explainers)
        files["tables/explanations.csv"] = explainers_csv(found.explainers)
    return files


def _table_caption(name: str) -> str:
    return f"{FIGURE_TITLES[name]}{', in units of each metric' if name in UNIT_MEASURES else ' in percent'}."


def figures_html(chosen: EvaluationChoice, rows: Sequence[MetricRow]) -> str:
    """One page with the heat-map, the curves and the dots; its script is within."""
    part = chosen.parts[0]
    figures = [
        *(heat_map(rows, name) for name in available_figures(chosen.cases, PAPER_MEASURES)),
        *(interval_chart(rows, name, part.name) for name in available_figures(chosen.cases, ("consistency", "auc"))),
        roc_chart(roc_curves(chosen.cases, part), part.name),
    ]
    plots = [
        figure.to_html(full_html=False, include_plotlyjs=place == 0, config=_SVG_CONFIG)
        for place, figure in enumerate(figures)
    ]
    title = html.escape(" + ".join(chosen.datasets))
    return f'<!doctype html><meta charset="utf-8"><title>{title}</title>{"".join(plots)}'
