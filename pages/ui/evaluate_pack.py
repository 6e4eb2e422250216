"""The paper pack: one press writes everything that a paper has to show and to say about these tables."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Sequence
from shlex import quote

import streamlit as st

from annotations.campaigns.describing import in_words
from annotations.datasets import DatasetRow, FileRow
from annotations.records import CAMPAIGN
from annotations.sources import described
from core.intake import lines
from core.meta.figures import IN_UNITS, PUBLISHED, Row
from core.meta.pack import as_csv, latex, markdown, metrics_card
from core.settings import VERSION
from pages.ui import services
from pages.ui.evaluate_charts import curves, dots, heat_map, roc
from pages.ui.evaluate_choice import Chosen
from pages.ui.evaluate_tables import TITLES


def paper_pack(chosen: Chosen, rows: Sequence[Row]) -> None:
    """The button, and a word on what comes."""
    sets = [row for row in services.store().datasets() if row.name in chosen.datasets]
    st.write(
        "One archive with the tables (Markdown, LaTeX, CSV), the figures as a page that needs no network, a data card, the "
        "metrics with their signatures and versions, and the command that gives the tables again."
    )
    st.download_button(
        "Download the paper pack",
        lambda: packed(chosen, rows, sets),
        "touchstone-paper-pack.zip",
        mime="application/zip",
        on_click="ignore",
        icon=":material/folder_zip:",
        type="primary",
    )
    st.code(_commands(chosen, sets), language="bash", wrap_lines=True)
    st.caption("A camera button on each plot saves it as PNG.")


def packed(chosen: Chosen, rows: Sequence[Row], sets: Sequence[DatasetRow]) -> bytes:
    """The archive."""
    names = list(rows[0].figures)
    files = {
        "README.md": _readme(chosen, sets),
        "tables/all.csv": as_csv(rows),
        "data-card.md": data_card(chosen, sets),
        "metrics.md": metrics_card(chosen.cases),
        "figures.html": figures_html(chosen, rows),
        **{f"tables/{name}.md": markdown(rows, name) for name in names},
        **{f"tables/{name}.tex": latex(rows, name, _caption(name)) for name in names},
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, text in files.items():
            pack.writestr(name, text)
    return archive.getvalue()


def _caption(name: str) -> str:
    return f"{TITLES[name]}{', in units of each metric' if name in IN_UNITS else ' in percent'}."


def data_card(chosen: Chosen, sets: Sequence[DatasetRow]) -> str:
    """Where the data came from, under which licence, and what it held."""
    files = [file for row in sets for file in row.files]
    own = set(chosen.datasets) - {row.name for row in sets}
    told = [*map(_file, files), *map(_own, sorted(own))]
    counted = (
        f"In these tables: {len(chosen.cases.samples)} summaries, {len(chosen.cases.pairs)} minimal pairs, "
        f"{chosen.cases.clusters} documents."
    )
    warnings = "".join(f"- {warning}\n" for warning in chosen.cases.warnings)
    return f"# Data\n\n{counted}\n\n{''.join(told)}{warnings}"


def figures_html(chosen: Chosen, rows: Sequence[Row]) -> str:
    """One page with the heat-map, the curves and the dots; its script is within."""
    part = chosen.parts[0]
    figures = [
        *(heat_map(rows, name) for name in PUBLISHED),
        *(dots(rows, name, part.name) for name in ("consistency", "auc")),
        roc(curves(chosen.cases, part), part.name),
    ]
    plots = [figure.to_html(full_html=False, include_plotlyjs=place == 0) for place, figure in enumerate(figures)]
    title = html.escape(" + ".join(chosen.datasets))
    return f'<!doctype html><meta charset="utf-8"><title>{title}</title>{"".join(plots)}'


def _readme(chosen: Chosen, sets: Sequence[DatasetRow]) -> str:
    return (
        f"# {' + '.join(chosen.datasets)}\n\nMade by Touchstone {VERSION}. Figures are percentages in the Markdown and LaTeX "
        f"tables and shares in the CSV; intervals are those of {chosen.resamples:,} bootstrap resamples of whole documents "
        "(seed 0). Bold is the best of a slice; † is not significantly worse (paired bootstrap, Holm, p ≥ .05). "
        f"Cases without a score are left out and counted.\n\n```\n{_commands(chosen, sets)}\n```\n"
    )


def _commands(chosen: Chosen, sets: Sequence[DatasetRow]) -> str:
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


def _own(name: str) -> str:
    labels = in_words(described(services.store(), name)) if name.startswith(CAMPAIGN) else []
    return f"## {name}\n\n{' '.join(['Kept and labelled with Touchstone.', *labels])}\n\n"


def _file(file: FileRow) -> str:
    release = f", {file.release}" if file.release else ""
    counts = "".join(f"- {line}\n" for line in lines(file.counts))
    return (
        f"## {file.dataset}\n\nFile `{file.file}` (SHA-256 `{file.sha256}`), read as {file.importer}{release} on "
        f"{file.created_at:%Y-%m-%d}. Licence: {file.licence or 'not stated'}.\n\n{counts}\n"
    )
