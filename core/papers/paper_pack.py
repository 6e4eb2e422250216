"""The paper pack: one archive with the tables, the figures, a data card, citations, and the commands that make it again.

The same data and choices give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Any, Protocol

from core.archive import zip_files
from core.cases.cases import Cases
from core.cases.measures import (
    FIGURE_TITLES,
    MEASURES,
    MetricRow,
    Slice,
    draw_resamples,
    figure_unit,
    metric_rows,
)
from core.dataset import DATASETS, format_counts
from core.errors import UnknownNameError
from core.explanations.explainer_scores import explainer_scores
from core.papers.paper_tables import (
    citations_bib,
    correlations_csv,
    correlations_latex,
    correlations_markdown,
    explainers_csv,
    explainers_markdown,
    metrics_card,
    rows_csv,
    rows_latex,
    rows_markdown,
)
from core.settings import VERSION
from core.stats.bootstrap import RESAMPLES, Resamples
from core.studies.ranks import MetricRank, metric_ranks
from core.studies.rating_correlation import metric_correlations
from core.types import PRECOMPUTED

PACK_NAME = "touchstone-paper-pack.zip"
_DRAWN = ("consistency", "auc")


class PackedFile(Protocol):
    """Facts of the store about an imported file."""

    @property
    def dataset(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def importer(self) -> str: ...
    @property
    def licence(self) -> str: ...
    @property
    def release(self) -> str: ...
    @property
    def counts(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True, eq=False)
class PackRequest:
    """Content of a pack: the cases with their slices, the imported files, and the origin of labels given here.

    `more` are further files by their path in the pack. `command` gives the archive again where the store has no part in it.
    """

    datasets: tuple[str, ...]
    by: str | None
    aspect: str
    resamples: int
    cases: Cases
    parts: Sequence[Slice]
    files: Sequence[PackedFile]
    own: Mapping[str, Sequence[str]]
    more: Mapping[str, str] = field(default_factory=dict)
    command: str = ""


def write_pack(request: PackRequest) -> bytes:
    """The archive."""
    return zip_files(_pack_files(request))


def pack_commands(request: PackRequest) -> str:
    """Commands that give the same pack in an empty database, run where the archive was unpacked and the data are."""
    if request.command:
        return request.command
    here = [name for name in request.datasets if name != PRECOMPUTED]
    specs = {score.metric for sample in request.cases.samples for score in sample.kept}
    options = " ".join(f"--metric {quote(spec)}" for spec in sorted(specs))
    return "\n".join(
        [
            *(line for place, file in enumerate(request.files) for line in _import_lines(place, file)),
            *(
                f"# {name}: labels given here; import the export of {name} first"
                for name in sorted(request.own)
                if name in here
            ),
            *(f"python cli.py score-dataset {quote(name)} {options}" for name in here if options),
            _pack_command(request),
        ]
    )


def _pack_command(request: PackRequest) -> str:
    options = [
        *(f"--dataset {quote(name)}" for name in request.datasets),
        *([f"--by {request.by}"] if request.by else []),
    ]
    metrics = [f"--metric {quote(column.name)}" for column in request.cases.all_columns]
    rated = [f"--rated {quote(request.aspect)}"] if request.aspect else []
    fewer = [] if request.resamples == RESAMPLES else [f"--resamples {request.resamples}"]
    return " ".join(["python cli.py pack", *options, *metrics, *rated, *fewer, f"-o {PACK_NAME}"])


def _import_lines(place: int, file: PackedFile) -> list[str]:
    """The command of one file; a mapping that was used is beside it, and the files of a folder are named."""
    reading: dict[str, str] = file.counts.get("reading", {})
    settings = {**reading, **({"mapping": _mapping_path(place)} if "mapping" in reading else {})}
    named = settings.pop("files", "")
    spelt = ",".join(f'{name}="{value}"' for name, value in settings.items())
    importer = f"{file.importer.partition('[')[0]}[{spelt}]" if settings else file.importer
    plugin = DATASETS.get(importer.partition("[")[0])
    source = "" if plugin.shipped else f" {quote(file.file)}"
    noted = [f"# {file.file}: a folder with {named}"] if named and not plugin.shipped else []
    return [*noted, f"python cli.py import {quote(importer)}{source} --name {quote(file.dataset)}"]


def _mapping_path(place: int) -> str:
    return f"mappings/{place + 1}.json"


def _pack_files(request: PackRequest) -> dict[str, str | bytes]:
    from core.papers.paper_figures import (
        figure_files,
    )  # Matplotlib takes 30 MB, and only a pack needs it

    cases, resamples = request.cases, draw_resamples(request.cases, request.resamples)
    rows = list(metric_rows(cases, request.parts, resamples, tuple(MEASURES)))
    correlated = list(metric_correlations(cases, request.aspect, resamples)) if request.aspect else []
    explainers = list(explainer_scores(cases, resamples))
    drawn = [name for name in _DRAWN if rows and name in rows[0].figures]
    return {
        "README.md": pack_readme(request),
        "data-card.md": data_card(request),
        "metrics.md": metrics_card(cases),
        "citations.bib": citations_bib(cases, [file.importer.partition("[")[0] for file in request.files]),
        **{
            _mapping_path(place): file.counts["reading"]["mapping"]
            for place, file in enumerate(request.files)
            if "mapping" in file.counts.get("reading", {})
        },
        **_row_tables(rows),
        **(
            {
                "tables/correlations.md": correlations_markdown(correlated, request.aspect),
                "tables/correlations.tex": correlations_latex(correlated, request.aspect),
                "tables/correlations.csv": correlations_csv(correlated, request.aspect),
            }
            if correlated
            else {}
        ),
        **(
            {
                "tables/explanations.md": explainers_markdown(explainers),
                "tables/explanations.csv": explainers_csv(explainers),
            }
            if explainers
            else {}
        ),
        **figure_files(cases, rows, request.parts[0], drawn, _ranks(request, resamples, drawn)),
        **request.more,
    }


def _ranks(request: PackRequest, resamples: Resamples, names: Sequence[str]) -> dict[str, list[MetricRank]]:
    """By measure, the ranks of metrics in every slice; none where one metric alone was scored."""
    if len(request.cases.all_columns) < 2:
        return {}
    return {name: list(metric_ranks(request.cases, request.parts, resamples, name)) for name in names}


def _row_tables(rows: Sequence[MetricRow]) -> dict[str, str | bytes]:
    if not rows:
        return {}
    files: dict[str, str | bytes] = {"tables/all.csv": rows_csv(rows)}
    for name in rows[0].figures:
        if all(row.figures[name].estimate.value is None for row in rows):
            continue  # all.csv has the reason
        files[f"tables/{name}.md"] = rows_markdown(rows, name)
        files[f"tables/{name}.tex"] = rows_latex(rows, name, _table_caption(name))
    return files


def _table_caption(name: str) -> str:
    return f"{FIGURE_TITLES[name]}, {figure_unit(name)}."


def pack_readme(request: PackRequest) -> str:
    """README on how the tables are to be read, with the commands that give them."""
    return (
        f"# {' + '.join(request.datasets)}\n\nMade by Touchstone {VERSION}. Figures are percentages in the Markdown and LaTeX "
        f"tables and shares in the CSV; intervals are those of {request.resamples:,} bootstrap resamples of whole documents "
        "(seed 0). Bold is the best of a slice; † is not significantly worse (paired bootstrap, Holm, p ≥ .05); ‡ was not "
        "tested. Cases without a score are left out and counted. The tables are \\input where the package booktabs is loaded.\n\n"
        "These commands, run here beside the data with an empty database, give this archive again, byte for byte:\n\n"
        f"```\n{pack_commands(request)}\n```\n"
    )


def data_card(request: PackRequest) -> str:
    """A card to publish: what the data holds, where it came from, under which licence, and what to know before use."""
    cases = request.cases
    sections = [
        *map(_file_section, request.files),
        *(_own_section(name, sentences) for name, sentences in sorted(request.own.items())),
    ]
    warnings = "".join(f"- {warning}\n" for warning in cases.warnings)
    return (
        f"# Data card: {' + '.join(request.datasets)}\n\n"
        f"In these tables: {len(cases.samples)} summaries, {len(cases.pairs)} minimal pairs, {cases.clusters} documents.\n\n"
        f"{''.join(sections)}"
        "## Use\n\nThe annotations are under the licences above; the documents and summaries that come with them have terms of "
        "their own. For evaluation: who trains on these texts should not report these figures. The unit of resampling is the "
        "document, so that variants of one text never count as independent.\n\n"
        f"{f'## To know{chr(10)}{chr(10)}{warnings}' if warnings else ''}"
    )


def _own_section(name: str, described: Sequence[str]) -> str:
    kept = "Comes with Touchstone, scored beforehand." if name == PRECOMPUTED else "Kept and labelled with Touchstone."
    return f"## {name}\n\n{' '.join([kept, *described])}\n\n"


def _file_section(file: PackedFile) -> str:
    release = f", {file.release}" if file.release else ""
    counts = "".join(f"- {line}\n" for line in format_counts(file.counts))
    return (
        f"## {file.dataset}\n\nFile `{file.file}` (SHA-256 `{file.sha256}`), read as {file.importer.partition('[')[0]}{release}. "
        f"{_origin(file.importer)}Licence: {file.licence or 'not stated'}.\n\n{counts}\n"
    )


def _origin(importer: str) -> str:
    try:
        url = DATASETS.get(importer.partition("[")[0]).url
    except UnknownNameError:
        return ""
    return f"From {url}. " if url else ""
