"""All papers one after another into one static site; what was finished before an interruption is not done again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from core.assessment.papers.benchmarks import PAGES, benchmark_pages, labelled_files
from core.assessment.papers.paper import DataFile, Paper, ReleasedData
from core.assessment.papers.paper_comparison import compare_paper, comparison_record
from core.assessment.papers.paper_words import own_words_note
from core.assessment.papers.site import site_pages
from core.base import Root, code_hash, code_parts
from core.errors import attempt
from core.models import papers_with_words, resolve_model
from core.scoring import Metric
from core.settings import VERSION

_RESULTS, _SITE = "results", "site"
_BENCHMARKS = "benchmarks"


@dataclass(frozen=True, slots=True)
class ReproductionJob:
    """The papers, the data, the metrics of the benchmarks, and the folder that gets `results` and `site`."""

    papers: Sequence[Paper]
    data: ReleasedData
    metrics: Sequence[Metric]
    resamples: int
    output: Path

    @property
    def site(self) -> Path:
        return self.output / _SITE


def run_job(job: ReproductionJob) -> Iterator[tuple[str, bool]]:
    """Do one stage after another and write the site at the end; a stage whose inputs are the same is read from its result.

    The same results make the same site, byte by byte. Inside of a stage, answers of models are kept by the engine.
    """
    papers: dict[str, Mapping[str, Any]] = {}
    for paper in job.papers:
        key = _key(job, paper.data, paper.metrics(), type(paper).__module__)
        record, again = _stage(job, paper.name, key, partial(_compare, paper, job.data))
        papers[paper.name] = record
        yield paper.name, again
    key = _key(job, labelled_files(job.data), job.metrics, benchmark_pages.__module__)
    benchmarks, again = _stage(
        job, _BENCHMARKS, key, lambda: dict(benchmark_pages(job.data, job.metrics, job.resamples))
    )
    yield _BENCHMARKS, again
    titles = {name: title for name, (title, _, _) in PAGES.items()}
    for name, page in site_pages(papers, benchmarks, titles, VERSION).items():
        _write(job.site / name, page)


def _compare(paper: Paper, data: ReleasedData) -> dict[str, Any]:
    published, tables = compare_paper(paper, data)
    return comparison_record(published, tables)


def _stage(
    job: ReproductionJob, name: str, key: str, make: Callable[[], dict[str, Any]]
) -> tuple[dict[str, Any], bool]:
    file = job.output / _RESULTS / f"{name}.json"
    if file.is_file():
        saved: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if saved["key"] == key:
            result: dict[str, Any] = saved["result"]
            return result, True
    # as it comes back from the file, so that a site is the same whether a result was read or made
    result = json.loads(json.dumps(make(), ensure_ascii=False))
    _write(file, json.dumps({"key": key, "result": result}, ensure_ascii=False, indent=1))
    return result, False


def _key(job: ReproductionJob, files: Sequence[DataFile], metrics: Sequence[Metric], module: str) -> str:
    """Everything that a result depends on: code, files, what of the metrics is here, the model, its words, and resamples."""
    here = {file.place: job.data.sha256(file) for file in files if (job.data.folder / file.place).exists()}
    missing = {metric.spec: bool(job.data.missing(metric)) for metric in metrics}
    model = str(attempt(partial(resolve_model, ""))) if job.data.asks else ""
    words = [own_words_note(paper) for paper in papers_with_words()]
    facts = [VERSION, code_hash(code_parts([Root(module)])), here, missing, model, words, job.resamples]
    return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _write(file: Path, text: str) -> None:
    """All of it or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as new:
        new.write(text)
    os.chmod(new.name, 0o644)
    os.replace(new.name, file)
