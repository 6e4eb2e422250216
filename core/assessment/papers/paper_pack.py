"""The paper pack: one archive with the tables, the figures, a data card, citations, and the commands that make it again.

The same data and choices give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from shlex import quote
from typing import Any, Protocol

from core.assessment.papers.paper_tables import citations_bib, metrics_card
from core.assessment.papers.rate_methods import RATE_STUDY, methods_files
from core.base import zip_files
from core.data import DATASETS, dataset_of_reference, format_counts, format_dataset
from core.errors import Problem, UnknownNameError, attempt
from core.evaluation import STUDIES, Input, Report, Study, StudyData, table_csv, table_latex, table_markdown
from core.registry import settings_of
from core.results import Cases
from core.settings import VERSION
from core.stats import RESAMPLES
from core.types import PRECOMPUTED

PACK_NAME = "touchstone-paper-pack.zip"


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
    """Content of a pack."""

    datasets: tuple[str, ...]
    """Names of the datasets."""
    by: str | None
    """Field whose values are the slices besides Overall; None for Overall alone."""
    resamples: int
    """Bootstrap resamples of each interval."""
    cases: Cases
    """Samples of all datasets, with their scores."""
    files: Sequence[PackedFile]
    """The imported files behind the samples."""
    own: Mapping[str, Sequence[str]]
    """Sentences for the data card on labels that were given here, by dataset."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Further files by their path in the pack."""
    command: str = ""
    """Command that makes the same archive; empty if the data come from the store, whose commands are derived."""


def write_pack(request: PackRequest) -> bytes:
    """The archive."""
    reports, missing = packed_reports(request)
    files = {
        "README.md": pack_readme(request, reports, missing),
        "data-card.md": data_card(request),
        "metrics.md": metrics_card(request.cases),
        "citations.bib": citations_bib(request.cases, [file.importer.partition("[")[0] for file in request.files]),
        **{
            _mapping_path(place): file.counts["reading"]["mapping"]
            for place, file in enumerate(request.files)
            if "mapping" in file.counts.get("reading", {})
        },
        **{path: content for stem, report in reports.items() for path, content in report_files(stem, report).items()},
        **(methods_files(reports[RATE_STUDY]) if RATE_STUDY in reports else {}),
        **request.more,
    }
    return zip_files(files)


def pack_commands(request: PackRequest) -> str:
    """Commands that give the same pack in an empty database, run where the archive was unpacked and the data are."""
    if request.command:
        return request.command
    here = [name for name in request.datasets if name != PRECOMPUTED]
    specs = {score.metric for sample in request.cases.samples for score in sample.kept}
    options = " ".join(f"--metric {quote(spec)}" for spec in sorted(specs))
    pack_options = [
        *(f"--dataset {quote(name)}" for name in request.datasets),
        *([f"--by {request.by}"] if request.by else []),
    ]
    metrics = [f"--metric {quote(column.name)}" for column in request.cases.all_columns]
    fewer = [] if request.resamples == RESAMPLES else [f"--resamples {request.resamples}"]
    pack_command = " ".join(["python cli.py pack", *pack_options, *metrics, *fewer, f"-o {PACK_NAME}"])
    imports = []  # a mapping that was used is beside the file, and the files of a folder are named
    for place, file in enumerate(request.files):
        reading: dict[str, str] = file.counts.get("reading", {})
        settings = {**reading, **({"mapping": _mapping_path(place)} if "mapping" in reading else {})}
        named = settings.pop("files", "")
        importer_settings = settings_of(DATASETS.get(file.importer.partition("[")[0]))
        spelt = ",".join(f'{name}="{value}"' for name, value in settings.items() if name in importer_settings)
        importer = f"{file.importer.partition('[')[0]}[{spelt}]" if spelt else file.importer
        shipped = DATASETS.get(importer.partition("[")[0]).shipped
        if named and not shipped:
            imports.append(f"# {file.file}: a folder with {named}")
        source = "" if shipped else f" {quote(file.file)}"
        dataset = dataset_of_reference(file.dataset)
        if file.dataset not in (dataset, f"{dataset}@1"):
            imports.append(
                f"# {format_dataset(file.dataset)}: import the files of its earlier versions first, in order"
            )
        imports.append(f"python cli.py import {quote(importer)}{source} --name {quote(dataset)}")
    return "\n".join(
        [
            *imports,
            *(
                f"# {name}: labels given here; import the export of {name} first"
                for name in sorted(request.own)
                if name in here
            ),
            *(f"python cli.py score-dataset {quote(name)} {options}" for name in here if options),
            pack_command,
        ]
    )


def _mapping_path(place: int) -> str:
    return f"mappings/{place + 1}.json"


def packed_reports(request: PackRequest) -> tuple[dict[str, Report], dict[str, str]]:
    """The report of every study of scored or labelled summaries by the stem of its files, and why others have none here."""
    data = StudyData(
        request.datasets,
        request.cases,
        request.by,
        tuple(column.name for column in request.cases.all_columns),
        request.resamples,
    )
    by_name: dict[str, dict[str, Report]] = {}
    missing: dict[str, str] = {}
    for study in STUDIES:
        if (
            "pack" in study.without
            or not set(study.takes) <= _PACKED_INPUTS
            or not {*study.takes, *study.may_take} & _PACKED_INPUTS
        ):
            continue
        forms = attempt(partial(study.in_pack, data))
        if isinstance(forms, Problem):
            missing[study.title] = forms.error
            continue
        views: dict[str, list[Study]] = {}
        for form in forms:
            views.setdefault(form.view_name, []).append(form)
        for of_view in views.values():
            outcome = attempt(partial(_reports_of, of_view, data))
            if isinstance(outcome, Problem):
                missing[of_view[0].view_title] = outcome.error
            else:
                by_name[_file_name(of_view[0])] = outcome
    return {stem: report for name in sorted(by_name) for stem, report in by_name[name].items()}, missing


_PACKED_INPUTS = {Input.SAMPLES, Input.SCORES, Input.POOL}


def _reports_of(forms: Sequence[Study], data: StudyData) -> dict[str, Report]:
    """The reports of a view in the forms that a pack has, those with figures; several are told apart by their settings."""
    name = _file_name(forms[0])
    stems = [
        name
        if len(forms) == 1
        else _slug(" ".join([name, *(str(form.settings[setting]) for setting in form.settings if setting != "view")]))
        for form in forms
    ]
    reports = {stem: form.run(data) for stem, form in zip(stems, forms, strict=True)}
    return {stem: report for stem, report in reports.items() if not report.empty}


def _file_name(study: Study) -> str:
    """The name of the view, that of the study for its first."""
    return study.name if study.view_name == type(study)().view_name else study.view_name


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def report_files(stem: str, report: Report) -> dict[str, str | bytes]:
    """Tables as CSV, and as Markdown and LaTeX for every grid of one; charts as SVG and PDF."""
    from core.evaluation import chart_figure  # Matplotlib takes 30 MB, and only a pack needs it

    files: dict[str, str | bytes] = {}
    for table in report.tables:
        if not table.rows:
            continue
        name = stem if len(report.tables) == 1 or table is report.tables[0] else _slug(f"{stem} {table.name}")
        files[f"tables/{name}.csv"] = table_csv(table)
        for grid in table.pivot.cells if table.pivot else ("",):
            file = _slug(f"{name} {grid}") if grid and table.pivot and len(table.pivot.cells) > 1 else name
            files[f"tables/{file}.md"] = table_markdown(table, grid)
            files[f"tables/{file}.tex"] = table_latex(table, grid, file)
    for chart in report.charts:
        name = stem if len(report.charts) == 1 else _slug(f"{stem} {chart.name}")
        files |= {f"figures/{name}.{kind}": chart_figure(chart, kind) for kind in ("svg", "pdf")}
    return files


def pack_readme(request: PackRequest, reports: Mapping[str, Report], missing: Mapping[str, str]) -> str:
    """README on how the tables are to be read, what each study says, why others are missing, and the commands that give them."""
    answers = [f"- **{report.title}** (`{stem}`): {' '.join(report.sentences)}" for stem, report in reports.items()]
    absent = [f"- {title}: {reason}" for title, reason in missing.items()]
    return "\n\n".join(
        [
            f"# {' + '.join(map(format_dataset, request.datasets))}",
            f"Made by Touchstone {VERSION}. Figures are percentages in the Markdown and LaTeX tables and shares in the CSV; "
            f"intervals are those of {request.resamples:,} bootstrap resamples of whole documents (seed 0). Bold is the best of a "
            "slice; † is not significantly worse (paired bootstrap, Holm, p ≥ .05); ‡ was not tested. Cases without a score are "
            "left out and counted. The tables are \\input where the package booktabs is loaded.",
            "\n".join(answers),
            *(["These data give no figure for:", "\n".join(absent)] if absent else []),
            "These commands, run here with the data and an empty database, give this archive again, byte for byte:",
            f"```\n{pack_commands(request)}\n```\n",
        ]
    )


def data_card(request: PackRequest) -> str:
    """A card to publish: what the data holds, where it came from, under which licence, and what to know before use."""
    cases = request.cases
    sections = []
    for file in request.files:
        release = f", {file.release}" if file.release else ""
        counts = "".join(f"- {line}\n" for line in format_counts(file.counts))
        try:
            url = DATASETS.get(file.importer.partition("[")[0]).url
        except UnknownNameError:
            url = ""
        sections.append(
            f"## {format_dataset(file.dataset)}\n\nFile `{file.file}` (SHA-256 `{file.sha256}`), read as {file.importer.partition('[')[0]}"
            f"{release}. {f'From {url}. ' if url else ''}Licence: {file.licence or 'not stated'}.\n\n{counts}\n"
        )
    for name, sentences in sorted(request.own.items()):
        bundled, own = "Comes with Touchstone, scored beforehand.", "Kept and labelled with Touchstone."
        described = " ".join([bundled if name == PRECOMPUTED else own, *sentences])
        sections.append(f"## {name}\n\n{described}\n\n")
    warnings = "".join(f"- {warning}\n" for warning in (*cases.warnings, *cases.unfinished))
    return (
        f"# Data card: {' + '.join(map(format_dataset, request.datasets))}\n\n"
        f"In these tables: {len(cases.samples)} summaries, {len(cases.pairs)} minimal pairs, {cases.clusters} documents.\n\n"
        f"{''.join(sections)}"
        "## Use\n\nThe annotations are under the licences above; the documents and summaries that come with them have terms of "
        "their own. For evaluation: who trains on these texts should not report these figures. The unit of resampling is the "
        "document, so that variants of one text never count as independent.\n\n"
        f"{f'## To know{chr(10)}{chr(10)}{warnings}' if warnings else ''}"
    )
