"""Every metric over all labelled data of the papers: ranks with intervals by dataset, and figures by error type and domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.assessment.papers.paper import PAPERS, DataFile, ReleasedData
from core.evaluation import Measures, Study, StudyData, report_html
from core.results import pool_cases, select_metrics
from core.scoring import Metric
from core.types import Sample

PAGES: Mapping[str, tuple[str, Study, str]] = {
    "benchmarks-ranks": ("Ranks of the metrics by dataset", Measures(view="ranks"), "dataset"),
    "benchmarks-ranks-domain": ("Ranks of the metrics by domain", Measures(view="ranks"), "domain"),
    "benchmarks-error-types": ("Figures of the metrics by type of error", Measures(), "error_type"),
    "benchmarks-domains": ("Figures of the metrics by domain", Measures(), "domain"),
}
"""The title, the study and its slices for each page of the site."""

_COMMAND = "python cli.py reproduce all"


def labelled_files(data: ReleasedData) -> list[DataFile]:
    """The files of all papers that are here and have labelled summaries with their documents, each once."""
    files = dict.fromkeys(file for paper in PAPERS for file in paper.data if file.importer)
    return [file for file in files if (data.folder / file.place).exists() and _labelled(file, data)]


def benchmark_pages(data: ReleasedData, metrics: Sequence[Metric], resamples: int) -> Mapping[str, str]:
    """The pages by name, whole HTML files; none without labelled data or without a metric."""
    files = labelled_files(data)
    if not files or not metrics:
        return {}
    pooled = pool_cases([data.scored_samples(_labelled(file, data), metrics) for file in files])
    names = tuple(dict.fromkeys(sample.dataset for sample in pooled.samples))
    cases = select_metrics(pooled, [metric.spec for metric in metrics])
    study_data = StudyData(names, cases, resamples=resamples)
    pages = {}
    for page, (title, study, by) in PAGES.items():
        report = study.run(replace(study_data, by=by))
        pages[page] = report_html(replace(report, title=title, command=_COMMAND))
    return pages


def _labelled(file: DataFile, data: ReleasedData) -> list[Sample]:
    name = file.place.rpartition(".")[0] or file.place
    return [
        replace(sample, dataset=name)
        for sample in data.samples(file)
        if sample.item.intended and sample.item.example.document and sample.item.example.summary
    ]
